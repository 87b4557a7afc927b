package dataset

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A line may be longer than any buffer.
func TestLinesOfAnyLength(t *testing.T) {
	const n = 120_000 // neighbours on one line, 700 kB
	var text strings.Builder
	text.WriteString("1\n" + strconv.Itoa(n+1) + " 0\n0 " + strconv.Itoa(n))
	for v := 1; v <= n; v++ {
		text.WriteString(" " + strconv.Itoa(v))
	}
	text.WriteString(strings.Repeat("\n0 0", n) + "\n")
	d, err := openTextFile(text.String())
	if err != nil {
		t.Fatal(err)
	}
	if d.Batch.Degree(0) != n || d.Batch.Degree(n) != 1 {
		t.Errorf("degrees %d and %d", d.Batch.Degree(0), d.Batch.Degree(n))
	}
}

func TestLineWithoutEndIsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("takes memory")
	}
	set := twoGraphs.with("X_A.txt", "-", "X_A.txt.gz", compress("1, 2\n"+strings.Repeat("0", maxLineBytes+1<<20)))
	_, err := openTU(set.folder())
	wantError(t, err, "X_A.txt.gz:2: line longer than 64 MiB")
}

// Gigabytes of blank lines, which compress to nothing, are not read to their end.
func TestManyBlankLinesAreRefused(t *testing.T) {
	const more = 100_000
	set := twoGraphs.with("X_A.txt", "-", "X_A.txt.gz", compress("1, 2\n"+strings.Repeat("\n", 1000+more)))
	_, err := openTU(set.folder())
	wantError(t, err, "X_A.txt.gz:1002: 1001 blank lines up to here")
	if _, err := openTU(twoGraphs.with("X_A.txt", twoGraphs["X_A.txt"]+strings.Repeat(" \n", 1000)).folder()); err != nil {
		t.Errorf("1000 blank lines at the end: %v", err)
	}
}

func TestIntegers(t *testing.T) {
	tests := map[string]string{ // what stands in the file, and the number or the error
		"17": "17", "-3": "-3", "+5": "5", "007": "7", "900000000000000000": "900000000000000000",
		"-": `"-" is not a whole number`, "+": `"+" is not a whole number`, "--1": `"--1" is not a whole number`,
		"1e3": `"1e3" is not a whole number`, "0x10": `"0x10" is not a whole number`,
		"1_000":                               `"1_000" is not a whole number`,
		"٣":                                   `is not a whole number`,
		"9223372036854775808":                 `the number "9223372036854775808" is too large`,
		"-9223372036854775809":                `the number "-9223372036854775809" is too large`,
		strings.Repeat("x", 100):              `"` + strings.Repeat("x", 40) + `"... is not a whole number`,
		"1 2":                                 `unexpected " 2"`,
		"1,":                                  `unexpected ","`,
		",1":                                  "a whole number is missing",
		strings.Repeat("9", 1000):             "is too large",
		"0" + strings.Repeat("0", 100) + "12": "12",
	}
	for text, want := range tests {
		l, err := files{"F.txt": text}.folder().open("F.txt")
		if err != nil {
			t.Fatal(err)
		}
		l.next()
		value := l.integer()
		l.end()
		if l.err != nil {
			wantError(t, l.err, want)
		} else if strconv.FormatInt(value, 10) != want {
			t.Errorf("%s is read as %d, want %s", text, value, want)
		}
	}
}

func TestEnumerateNumbersCodesInAscendingOrder(t *testing.T) {
	for _, far := range []int64{1, 1 << 40} { // by a table, and by sorting
		ids, distinct := enumerate([]int64{3 * far, -far, 3 * far, 0})
		if !slices.Equal(ids, []int32{2, 0, 2, 1}) || !slices.Equal(distinct, []int64{-far, 0, 3 * far}) {
			t.Errorf("ids %v of %v", ids, distinct)
		}
	}
}
