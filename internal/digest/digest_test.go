package digest

import "testing"

func TestDifferentListsDiffer(t *testing.T) {
	seen := map[string]int{}
	for i, lists := range [][]any{
		{}, {[]int{}}, {[]int{1}}, {[]int{1}, []int{}}, {[]int{}, []int{1}}, {[]float64{1}}, {"a", "b"}, {"ab"},
		{[]string{"a", "b"}}, {[]string{"ab"}}, {[]bool{true}},
	} {
		sum := Of(lists...)
		if other, ok := seen[sum]; ok {
			t.Errorf("lists %d and %d have the same sum", other, i)
		}
		seen[sum] = i
		if again := Of(lists...); again != sum {
			t.Errorf("lists %d have two sums", i)
		}
	}
}
