package dataset

import (
	"reflect"
	"testing"
)

// twoFolds divides six graphs; graph 5 is in no test fold.
var twoFolds = files{
	"train_idx-1.txt":       "3\n4\n5\n1\n",
	"test_idx-1.txt":        "0\n2\n",
	"train_idx-2.txt":       "0\n2\n5\n",
	"test_idx-2.txt":        "4\n3\n1\n",
	"inner/train_idx-1.txt": "3\n5\n",
	"inner/val_idx-1.txt":   "1\n4\n",
	"inner/train_idx-2.txt": "0\n",
	"inner/val_idx-2.txt":   "2\n",
}

func TestFoldsAreRead(t *testing.T) {
	f := twoFolds.folder()
	folds, err := readFolds(f, "", "test", 6)
	if err != nil {
		t.Fatal(err)
	}
	if want := []Fold{{Train: []int{3, 4, 5, 1}, Test: []int{0, 2}},
		{Train: []int{0, 2, 5}, Test: []int{4, 3, 1}}}; !reflect.DeepEqual(folds, want) {
		t.Errorf("folds %v, want %v", folds, want)
	}
	inner, err := readInnerFolds(f, 6, folds)
	if err != nil {
		t.Fatal(err)
	}
	if want := []Fold{{Train: []int{3, 5}, Validation: []int{1, 4}},
		{Train: []int{0}, Validation: []int{2}}}; !reflect.DeepEqual(inner, want) {
		t.Errorf("inner folds %v, want %v", inner, want)
	}
}

func TestFoldsRefuseBadFiles(t *testing.T) {
	tests := []struct {
		name  string
		files files
		want  string
	}{
		{"empty folder", files{}, "data: no folds: looked for train_idx-1.txt and test_idx-1.txt"},
		{"missing test file", twoFolds.with("test_idx-2.txt", "-"), "data/test_idx-2.txt: no such file"},
		{"missing training file", twoFolds.with("train_idx-1.txt", "-"), "data/train_idx-1.txt: no such file"},
		{"a gap in the numbers", twoFolds.with("test_idx-4.txt", "1\n"),
			"data/test_idx-4.txt: fold 4, but there is no fold 3"},
		{"an index that is no number", twoFolds.with("test_idx-1.txt", "0\nx\n"),
			`test_idx-1.txt:2: "x" is not a whole number`},
		{"two indices on a line", twoFolds.with("test_idx-1.txt", "0 2\n"), "test_idx-1.txt:1: unexpected"},
		{"a graph that is not there", twoFolds.with("test_idx-1.txt", "0\n6\n"),
			"test_idx-1.txt:2: graph 6: the data set has 6 graphs, counted from 0"},
		{"a negative index", twoFolds.with("train_idx-1.txt", "-1\n"), "train_idx-1.txt:1: graph -1"},
		{"an index that overflows", twoFolds.with("train_idx-1.txt", "99999999999999999999\n"),
			"train_idx-1.txt:1: the number"},
		{"a repeated index", twoFolds.with("train_idx-1.txt", "3\n4\n3\n"),
			"train_idx-1.txt:3: graph 3 is in train_idx-1.txt:1 as well"},
		{"training and test overlap", twoFolds.with("test_idx-1.txt", "0\n4\n"),
			"test_idx-1.txt:2: graph 4 is in train_idx-1.txt:2 as well"},
		{"two test folds overlap", twoFolds.with("test_idx-2.txt", "4\n3\n", "train_idx-1.txt", "5\n1\n", "test_idx-1.txt",
			"0\n3\n"), "test_idx-2.txt:2: graph 3 is in test_idx-1.txt:2 as well: test folds do not overlap"},
		{"an empty test fold", twoFolds.with("test_idx-1.txt", ""), "data/test_idx-1.txt: empty fold"},
		{"an empty training fold", twoFolds.with("train_idx-1.txt", "\n"), "data/train_idx-1.txt: empty fold"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := readFolds(test.files.folder(), "", "test", 6)
			wantError(t, err, test.want)
		})
	}
}

func TestInnerFoldsRefuseBadFiles(t *testing.T) {
	tests := []struct {
		name  string
		files files
		want  string
	}{
		{"none", twoFolds.with("inner/train_idx-1.txt", "-", "inner/val_idx-1.txt", "-"),
			"data/inner: no folds: looked for train_idx-1.txt and val_idx-1.txt"},
		{"fewer", twoFolds.with("inner/train_idx-2.txt", "-", "inner/val_idx-2.txt", "-"),
			"data/inner: 1 inner folds for 2 folds"},
		{"a test graph among them", twoFolds.with("inner/val_idx-1.txt", "1\n2\n"),
			"data/inner/val_idx-1.txt:2: graph 2 is not in the training set of fold 1"},
		{"training and validation overlap", twoFolds.with("inner/val_idx-1.txt", "1\n3\n"),
			"inner/val_idx-1.txt:2: graph 3 is in train_idx-1.txt:1 as well"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := test.files.folder()
			outer, err := readFolds(f, "", "test", 6)
			if err != nil {
				t.Fatal(err)
			}
			_, err = readInnerFolds(f, 6, outer)
			wantError(t, err, test.want)
		})
	}
}
