package parts_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/grove-graph/grove/parts"
)

// planned returns a plan of 10 numbers in parts of 4, with two outputs, in a new folder.
func planned(t *testing.T) *parts.Plan { return plannedIn(t, t.TempDir(), "count") }

func plannedIn(t *testing.T, dir, job string) *parts.Plan {
	t.Helper()
	p := &parts.Plan{
		Program: "this", Job: job, Unit: "numbers", Items: 10, Size: 4,
		Outputs: []parts.Output{
			{Flag: "out", Path: filepath.Join(dir, "numbers")}, {Flag: "ids", Path: filepath.Join(dir, "names")},
		},
	}
	if err := p.Create(filepath.Join(dir, "plan.json")); err != nil {
		t.Fatal(err)
	}
	opened, err := parts.Open(filepath.Join(dir, "plan.json"))
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

// count writes numbers to one output and names to the other.
func count(_ context.Context, from, to int, out []io.Writer) error {
	for i := from; i < to; i++ {
		if _, err := fmt.Fprintf(out[0], "%d\n", i); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out[1], "name %d\n", i); err != nil {
			return err
		}
	}
	return nil
}

func merge(p *parts.Plan) ([]parts.Merged, error) {
	return p.Merge(context.Background(), false, func(int, int) {})
}

func run(p *parts.Plan, part int) (done bool, err error) {
	_, done, err = p.Run(context.Background(), part, count)
	return done, err
}

// Parts that run in any order, more than once and at once make what one machine would have written.
func TestPartsMakeTheWhole(t *testing.T) {
	p := planned(t)
	if p.Parts() != 3 {
		t.Fatalf("%d parts, want 3", p.Parts())
	}
	var all sync.WaitGroup
	for _, part := range []int{2, 0, 2, 1, 0, 2} {
		all.Go(func() {
			if _, err := run(p, part); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for part := range 3 {
		if done, err := run(p, part); !done || err != nil {
			t.Errorf("part %d is done: %v, %v", part, done, err)
		}
	}
	if _, err := merge(p); err != nil {
		t.Fatal(err)
	}
	for k, format := range []string{"%d\n", "name %d\n"} {
		want := ""
		for i := range 10 {
			want += fmt.Sprintf(format, i)
		}
		if got, err := os.ReadFile(p.Path(p.Outputs[k].Path)); err != nil || string(got) != want {
			t.Errorf("%v, %q, want %q", err, got, want)
		}
	}
	if err := p.Discard(); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(filepath.Dir(p.Folder()))
	if err != nil || len(left) != 3 {
		t.Errorf("%v: the plan and two outputs are to be left: %v", err, left)
	}
}

// A merge without all parts names those that are missing and writes nothing.
func TestMissingPartsAreNamed(t *testing.T) {
	p := planned(t)
	if _, err := run(p, 1); err != nil {
		t.Fatal(err)
	}
	_, err := merge(p)
	var missing *parts.MissingError
	if !errors.As(err, &missing) || err.Error() != "2 of 3 parts are not done: 0,2" {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(p.Path(p.Outputs[0].Path)); err == nil {
		t.Error("an output is there")
	}
}

// A merge that waits puts together what comes, and ends with its context and with its plan.
func TestMergeWaitsForParts(t *testing.T) {
	p := planned(t)
	waiting := func(ctx context.Context) chan error {
		began, ended := make(chan struct{}), make(chan error, 1)
		go func() {
			begun := sync.OnceFunc(func() { close(began) })
			_, err := p.Merge(ctx, true, func(int, int) { begun() })
			ended <- err
		}()
		<-began
		return ended
	}
	ctx, stop := context.WithCancel(context.Background())
	stopped := waiting(ctx)
	stop()
	if err := <-stopped; !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	merged := waiting(context.Background())
	for _, part := range []int{2, 0, 1} {
		if len(merged) > 0 {
			t.Errorf("%v before part %d is there", <-merged, part)
		}
		if _, err := run(p, part); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-merged; err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(p.Path(p.Outputs[0].Path)); err != nil || string(got) != "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n" {
		t.Errorf("%v, %q", err, got)
	}
	if err := p.Discard(); err != nil {
		t.Fatal(err)
	}
	changed, next := waiting(context.Background()), *p
	if err := next.Next("another pass"); err != nil {
		t.Fatal(err)
	}
	if err := <-changed; err == nil || !strings.Contains(err.Error(), "plan.json: it has changed while") {
		t.Errorf("changed: %v", err)
	}
}

// Ranges are those that job schedulers take, and not more than a line holds.
func TestRangesOfMissingParts(t *testing.T) {
	e := &parts.MissingError{Parts: []int{0, 1, 2, 5, 7, 8}, Of: 9}
	if e.Ranges() != "0-2,5,7-8" {
		t.Error(e.Ranges())
	}
	var odd []int
	for i := range 100 {
		odd = append(odd, 2*i+1)
	}
	if e := (&parts.MissingError{Parts: odd, Of: 200}); !strings.HasSuffix(e.Ranges(), ",39 and 80 more") {
		t.Error(e.Ranges())
	}
}

// A part whose computation fails leaves nothing, and its results are checked when they are merged.
func TestWhatIsWrongIsNoPart(t *testing.T) {
	p := planned(t)
	sorry := errors.New("sorry")
	_, _, err := p.Run(context.Background(), 0, func(_ context.Context, from, to int, out []io.Writer) error {
		fmt.Fprintln(out[0], "half a part")
		return sorry
	})
	if !errors.Is(err, sorry) {
		t.Errorf("%v, want %v", err, sorry)
	}
	if left, err := os.ReadDir(p.Folder()); err != nil || len(left) != 0 {
		t.Errorf("%v: left behind: %v", err, left)
	}
	if _, err := run(p, 3); err == nil || !strings.Contains(err.Error(), "part 3 of a plan of 3") {
		t.Errorf("a part too many: %v", err)
	}
	for part := range 3 {
		if _, err := run(p, part); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(p.Folder(), "000001.out"), []byte("4\n5\n9\n7\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var missing *parts.MissingError
	if _, err := merge(p); !errors.As(err, &missing) || !slices.Equal(missing.Parts, []int{1}) ||
		!strings.Contains(err.Error(), "000001.out: the bytes are not those of its receipt") {
		t.Errorf("forged bytes: %v", err)
	}
	if !slices.Equal(p.Missing(), []int{1}) {
		t.Errorf("after forged bytes %v are missing", p.Missing())
	}
	if done, err := run(p, 1); done || err != nil {
		t.Errorf("a part whose bytes were forged counts as done: %v, %v", done, err)
	}
	if err := os.WriteFile(filepath.Join(p.Folder(), "000001.out"), []byte("4\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if done, err := run(p, 1); done || err != nil {
		t.Errorf("a part of another length counts as done: %v, %v", done, err)
	}
	if _, err := merge(p); err != nil {
		t.Error(err)
	}
}

// The receipts of another plan of the same name are no receipts.
func TestAnotherPlanBeginsAnew(t *testing.T) {
	p := planned(t)
	if _, err := run(p, 0); err != nil {
		t.Fatal(err)
	}
	other := plannedIn(t, filepath.Dir(p.Folder()), "other")
	if done, err := run(other, 0); done || err != nil {
		t.Errorf("done: %v, %v", done, err)
	}
}

// A plan that makes no sense is refused with its file.
func TestBadPlansAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "no plan of grove",
		`{"format": 2}`:             "a plan of format 2, this program reads format 1",
		`{"format": 1, "items": 0}`: "there is nothing to do",
		`{"format": 1, "else": 0}`:  "unknown field",
		`{"format": 1, "items": 9, "size": -1, "outputs": [{}]}`:            "there is nothing to do",
		`{"format": 1, "items": 1000000000000, "size": 1, "outputs": [{}]}`: "take larger ones",
		`{"format": 1, "unit": "graphs", "items": 1, "size": 1}`:            "without outputs",
	} {
		path := filepath.Join(t.TempDir(), "plan.json")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := parts.Open(path)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// The rounds of a plan have parts of their own, and what is known of it lies in one folder; other plans have others.
func TestRoundsHavePartsOfTheirOwn(t *testing.T) {
	p := planned(t)
	known, err := p.Known()
	if err != nil {
		t.Fatal(err)
	}
	for round := range 3 {
		if err := p.Next(fmt.Sprint("pass ", round)); err != nil {
			t.Fatal(err)
		}
		if len(p.Missing()) != 3 {
			t.Errorf("round %d begins with %v missing", round, p.Missing())
		}
		for part := range 3 {
			if done, err := run(p, part); done || err != nil {
				t.Errorf("round %d, part %d: %v, %v", round, part, done, err)
			}
		}
		file, err := p.OpenResult(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(file)
		if err := errors.Join(err, file.Close()); err != nil || string(text) != "4\n5\n6\n7\n" {
			t.Errorf("%v, %q", err, text)
		}
		opened, err := parts.Open(filepath.Join(filepath.Dir(known), "..", "plan.json"))
		if err != nil || opened.Round != round+1 || opened.Pass != fmt.Sprint("pass ", round) {
			t.Errorf("%v: %+v", err, opened)
		}
		if same, err := opened.Known(); err != nil || same != known {
			t.Errorf("%v: known in %s, then in %s", err, known, same)
		}
	}
	other, err := plannedIn(t, t.TempDir(), "other").Known()
	if err != nil || filepath.Base(other) == filepath.Base(known) {
		t.Errorf("%v: another plan knows %s", err, other)
	}
	if err := os.MkdirAll(known, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := p.DiscardRounds(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(known)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("left behind: %v", err)
	}
}
