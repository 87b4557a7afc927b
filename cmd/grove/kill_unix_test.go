//go:build unix

package main

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// contents are the files below a folder, hidden ones left out.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(entry.Name(), ".") && entry.IsDir():
			return filepath.SkipDir
		case strings.HasPrefix(entry.Name(), ".") || entry.IsDir():
			return nil
		}
		name, err := filepath.Rel(dir, path)
		found[name] = string(readFile(t, path))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// below returns the files whose names begin with a word.
func below(files map[string]string, begin string) map[string]string {
	some := maps.Clone(files)
	maps.DeleteFunc(some, func(name, _ string) bool { return !strings.HasPrefix(name, begin) })
	return some
}

// hidden lists the hidden files and folders below a folder.
func hidden(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(entry.Name(), ".") {
			found = append(found, path)
		}
		return nil
	})
	return found
}

// killed starts a command line in a folder and kills it after a while. It reports how long the process lived and
// whether it ended by itself.
func killed(t *testing.T, dir string, after time.Duration, args ...string) (lived time.Duration, ended bool) {
	t.Helper()
	p := newProcess(t, "", args...)
	p.Dir = dir
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	timer := time.AfterFunc(after, func() { _ = p.Process.Kill() })
	err := p.Wait()
	ended = timer.Stop()
	if ended && err != nil {
		t.Fatalf("grove %s: %v: %s", strings.Join(args, " "), err, p.stderr.String())
	}
	return time.Since(start), ended
}

const never = time.Hour

// A data set whose replacement is killed is the old one or the new one.
func TestKilledOverwriteLeavesOldOrNew(t *testing.T) {
	const kills = 60
	dir := t.TempDir()
	synth := func(seed string) []string {
		return []string{"data", "synth", "red-isolated", "--graphs", "400", "--seed", seed, "--out", "x", "--overwrite"}
	}
	killed(t, dir, never, synth("1")...)
	old := contents(t, dir)
	killed(t, dir, never, synth("2")...)
	made := contents(t, dir)
	random := rand.New(rand.NewPCG(1, 0))
	news := 0
	for i := range kills {
		whole, _ := killed(t, dir, never, synth("1")...) // now: how busy the machine is changes
		if left := hidden(t, dir); left != nil {
			t.Fatalf("before kill %d: %v is left", i, left)
		}
		// Most kills come when the files are written.
		after := time.Duration((0.3 + 0.8*random.Float64()) * float64(whole))
		killed(t, dir, after, synth("2")...)
		switch now := contents(t, dir); {
		case maps.Equal(now, made):
			news++
		case !maps.Equal(now, old):
			t.Fatalf("kill %d after %v: neither the old data set nor the new one", i, after)
		}
	}
	t.Logf("%d new, %d old", news, kills-news)
	if news == kills {
		t.Error("no kill came before the end")
	}
}

// killScene is a command that writes something whose name begins with out, in a folder in which data and models are.
type killScene struct {
	name     string
	old, new []string // two command lines, of which the first was there before
}

func killScenes(server string) []killScene {
	seeds := func(name string, args ...string) killScene {
		return killScene{name, append(args, "--seed", "1"), append(args, "--seed", "2")}
	}
	nets := []string{"--epochs", "2", "--filters", "8", "--path-size", "2", "--checkpoint", "state"}
	return []killScene{
		seeds("synth", "data", "synth", "molecules", "--graphs", "100", "--out", "out", "--overwrite"),
		seeds("synth a vertex task", "data", "synth", "block-model", "--vertices", "300", "--out", "out", "--overwrite"),
		{"convert", []string{"data", "convert", "mols", "--out", "out", "--overwrite"},
			[]string{"data", "convert", "more", "--out", "out", "--overwrite"}},
		{"convert to shards", []string{"data", "convert", "mols", "--to", "shards", "--out", "out", "--overwrite"},
			[]string{"data", "convert", "more", "--to", "shards", "--out", "out", "--overwrite"}},
		seeds("synth a store", "data", "synth", "molecules", "--graphs", "3000", "--to", "shards", "--out", "out",
			"--overwrite"),
		seeds("train gckn on a store", small("train", "gckn-path", "--data", "stored", "-o", "out")...),
		{"predict on a store", []string{"predict", "--model", "model", "--data", "mols", "-o", "out.csv"},
			[]string{"predict", "--model", "model", "--data", "stored", "-o", "out.csv"}},
		{"embed a store", []string{"embed", "--model", "model", "--data", "mols", "-o", "out.npy"},
			[]string{"embed", "--model", "model", "--data", "stored", "-o", "out.npy"}},
		seeds("split", "data", "split", "mols", "--out", "out", "--overwrite"),
		{"fetch", nil, []string{"data", "fetch", "out", "--url", server}},
		seeds("train gckn", small("train", "gckn-path", "--data", "mols", "-o", "out")...),
		seeds("train gckn end to end", append([]string{"train", "gckn-path-sup", "--data", "mols", "-o", "out"}, nets...)...),
		seeds("train treeg", "train", "treeg", "--data", "mols", "--estimators", "3", "-o", "out"),
		{"train wl", []string{"train", "wl", "--data", "mols", "-o", "out"},
			[]string{"train", "wl", "--data", "more", "-o", "out"}},
		{"train cgmm", []string{"train", "cgmm", "--data", "mols", "--depth", "1", "--states", "3", "-o", "out"},
			[]string{"train", "cgmm", "--data", "mols", "--depth", "2", "--states", "3", "--checkpoint", "state", "-o", "out"}},
		{"predict", []string{"predict", "--model", "model", "--data", "mols", "-o", "out.csv"},
			[]string{"predict", "--model", "model", "--data", "more", "-o", "out.csv"}},
		{"embed", []string{"embed", "--model", "model", "--data", "mols", "-o", "out.npy"},
			[]string{"embed", "--model", "model", "--data", "more", "-o", "out.npy"}},
		{"gram", []string{"gram", "wl", "--data", "mols", "-o", "out.npy"},
			[]string{"gram", "wl", "--data", "more", "-o", "out.npy"}},
		{"explain", []string{"explain", "--model", "model", "--data", "mols", "--index", "0-3", "-o", "out.svg"},
			[]string{"explain", "--model", "model", "--data", "more", "--index", "0-3", "-o", "out.svg"}},
		{"dump", []string{"dump", "--model", "trees", "--format", "svg", "-o", "out.svg"},
			[]string{"dump", "--model", "trees", "--format", "json", "-o", "out.svg"}},
		seeds("eval", "eval", "wl", "--data", "mols", "--plot", "out.svg"),
	}
}

// Wherever a command is killed, what it writes is what was there before or what it would have written, its inputs are
// untouched, and after the next run nothing of the dead is left.
func TestKilledCommandsLeaveOldOrNew(t *testing.T) {
	const kills = 252
	inputs := t.TempDir()
	for name, seed := range map[string]string{"mols": "1", "more": "2"} {
		must(t, "data", "synth", "molecules", "--graphs", "60", "--vertices", "12", "--seed", seed,
			"--out", filepath.Join(inputs, name))
	}
	must(t, "data", "synth", "molecules", "--graphs", "90", "--to", "shards", "--out", filepath.Join(inputs, "stored"))
	data := filepath.Join(inputs, "mols")
	must(t, small("train", "gckn-path", "--data", data, "-o", filepath.Join(inputs, "model"))...)
	must(t, "train", "treeg", "--data", data, "--estimators", "2", "-o", filepath.Join(inputs, "trees"))
	given := contents(t, inputs)
	scenes := killScenes(archiveServer(t, filepath.Join(inputs, "mols"), "mols", "out"))
	for i, s := range scenes {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(2, uint64(i)))
			fresh := func() string {
				dir := t.TempDir()
				if err := os.CopyFS(dir, os.DirFS(inputs)); err != nil {
					t.Fatal(err)
				}
				return dir
			}
			before := fresh()
			if s.old != nil {
				killed(t, before, never, s.old...)
				_ = os.Remove(filepath.Join(before, "state"))
			}
			after := fresh()
			whole, _ := killed(t, after, never, s.new...)
			old, made := below(contents(t, before), "out"), below(contents(t, after), "out")
			if len(made) == 0 {
				t.Fatal("nothing was written")
			}
			for range kills / len(scenes) {
				dir := t.TempDir()
				if err := os.CopyFS(dir, os.DirFS(before)); err != nil {
					t.Fatal(err)
				}
				at := time.Duration((0.2 + 0.9*random.Float64()) * float64(whole))
				killed(t, dir, at, s.new...)
				now := contents(t, dir)
				if out := below(now, "out"); !maps.Equal(out, old) && !maps.Equal(out, made) {
					t.Errorf("killed after %v: what is there is neither the old nor the new", at)
				}
				for name, text := range given {
					if now[name] != text {
						t.Errorf("killed after %v: the input %s has changed", at, name)
					}
				}
				killed(t, dir, never, s.new...)
				if !maps.Equal(below(contents(t, dir), "out"), made) {
					t.Errorf("the run after one that was killed after %v writes something else", at)
				}
				if left := hidden(t, dir); left != nil {
					t.Errorf("the run after one that was killed after %v leaves %v", at, left)
				}
			}
		})
	}
}

// archiveServer serves a data set in TU format as an archive under another name.
func archiveServer(t *testing.T, dir, name, as string) string {
	t.Helper()
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for file, text := range contents(t, dir) {
		w, err := z.Create(as + "/" + strings.Replace(file, name, as, 1))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write([]byte(text))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Unix(1e9, 0), bytes.NewReader(archive.Bytes()))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// Of two processes that write to one folder at once, one does so.
func TestTwoProcessesAtOneFolder(t *testing.T) {
	for range 8 {
		dir := t.TempDir()
		status := make(chan int, 2)
		for _, seed := range []string{"1", "2"} {
			p := newProcess(t, "", "data", "synth", "molecules", "--graphs", "400", "--seed", seed, "--out", "x")
			p.Dir = dir
			go func() {
				_ = p.Run()
				if p.ProcessState.ExitCode() != 0 && !strings.HasPrefix(p.stderr.String(), "grove: --out x: ") {
					t.Errorf("it says %q", p.stderr.String())
				}
				status <- p.ProcessState.ExitCode()
			}()
		}
		if first, second := <-status, <-status; (first == 0) == (second == 0) {
			t.Errorf("the processes end with %d and %d", first, second)
		}
		if left := hidden(t, dir); left != nil {
			t.Errorf("left are %v", left)
		}
		if must(t, "data", "info", filepath.Join(dir, "x")) == "" {
			t.Error("no data set")
		}
	}
}

// A checkpoint stays until the model that it leads to is kept.
func TestCheckpointStaysUntilTheModelIsKept(t *testing.T) {
	const full = "/dev/full" // a disk that is
	if _, err := os.Stat(full); err != nil {
		t.Skip(err)
	}
	data, dir := molecules(t, "molecules"), t.TempDir()
	state, model := filepath.Join(dir, "state"), filepath.Join(dir, "model")
	for _, args := range [][]string{
		{"train", "cgmm", "--depth", "1", "--states", "3", "-q"},
		{"train", "gckn-path-sup", "--epochs", "1", "--filters", "8", "--path-size", "2", "--checkpoint-every", "1", "-q"},
	} {
		args = append(args, "--data", data, "--checkpoint", state)
		fails(t, exitFailure, []string{"--out", "no space"}, append(args, "-o", full)...)
		if _, err := os.Stat(state); err != nil {
			t.Errorf("%s: %v", args[1], err)
		}
		must(t, append(args, "-o", model)...)
		if _, err := os.Stat(state); err == nil {
			t.Errorf("%s: the checkpoint is still there", args[1])
		}
	}
}

// A comparison that is killed ten times, each time as soon as more of it is kept, and is gone on with each time, says
// what it would have said.
func TestKilledComparisonGoesOn(t *testing.T) {
	data, dir := molecules(t, "molecules"), t.TempDir()
	file := filepath.Join(dir, "kept.json")
	args := comparison(data, "--cv", "10", "-o", file)
	kills := 0
	for ended := false; !ended && kills < 10; {
		before, _ := os.ReadFile(file)
		p := newProcess(t, "", args...)
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		end := make(chan error, 1)
		go func() { end <- p.Wait() }()
		for now := before; bytes.Equal(now, before) && !ended; {
			select {
			case err := <-end:
				if ended = true; err != nil {
					t.Fatalf("%v: %s", err, p.stderr.String())
				}
			case <-time.After(time.Millisecond):
				now, _ = os.ReadFile(file)
			}
		}
		if !ended {
			_ = p.Process.Kill()
			<-end
			kills++
		}
	}
	if kills < 10 {
		t.Fatalf("the comparison ended after %d kills", kills)
	}
	must(t, args...) // what a killed process left is cleaned up by the next one
	again := untimed(t, readFile(t, file))
	must(t, comparison(data, "--cv", "10", "-o", filepath.Join(dir, "whole.json"))...)
	if whole := untimed(t, readFile(t, filepath.Join(dir, "whole.json"))); !reflect.DeepEqual(again, whole) {
		t.Errorf("killed: %v\nwhole: %v", again, whole)
	}
	if left := hidden(t, dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A training that starts from another model and is killed goes on to the same file, and from no other model.
func TestKilledFineTuningGoesOn(t *testing.T) {
	data, dir := molecules(t, "molecules"), t.TempDir()
	for _, seed := range []string{"1", "2"} {
		must(t, small("train", "gckn-path", "--data", data, "--no-classifier", "--seed", seed, "-o",
			filepath.Join(dir, "from"+seed))...)
	}
	train := func(from, out string) []string {
		return []string{"train", "gckn-path-sup", "--data", data, "--epochs", "400", "--patience", "0", "--batch-size", "8",
			"--from", from, "--rate-anchors", "0.001", "--checkpoint", "state", "--checkpoint-every", "20", "-q", "-o", out}
	}
	killed(t, dir, never, train("from1", "whole")...)
	state := filepath.Join(dir, "state")
	p := newProcess(t, "", train("from1", "out")...)
	p.Dir = dir
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	for range 3000 { // until it has begun
		if _, err := os.Stat(state); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(50 * time.Millisecond)
	_ = p.Process.Kill()
	_ = p.Wait()
	if _, err := os.Stat(state); err != nil {
		t.Fatalf("the training did not leave a checkpoint: %v", err)
	}
	other := train(filepath.Join(dir, "from2"), filepath.Join(dir, "other"))
	other[slices.Index(other, "state")] = state
	fails(t, exitFailure, []string{"state", "other options"}, other...)
	killed(t, dir, never, train("from1", "out")...)
	files := contents(t, dir)
	if files["out"] != files["whole"] || files["out"] == "" {
		t.Error("another model")
	}
}

// Parts whose process is killed leave nothing that counts, and the merge of all of them has the bytes of one machine.
func TestKilledPartsMakeTheSameBytes(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	must(t, "data", "synth", "molecules", "--graphs", "3000", "--vertices", "12", "--seed", "1", "--to", "shards",
		"--out", in("store"))
	must(t, append(small("train", "gckn-path", "--data", in("store"), "-o", in("m.grove")), "--c", "1")...)
	must(t, "embed", "--model", in("m.grove"), "--data", in("store"), "-o", in("whole.npy"))
	must(t, "plan", "embed", "--model", in("m.grove"), "--data", in("store"), "--out", in("X.npy"),
		"--part-graphs", "300", "-o", in("plan.json"))
	all := []string{"run-part", in("plan.json"), "--index", "0-9"}
	lived, _ := killed(t, dir, time.Minute, all...)
	must(t, "merge", in("plan.json"), "--keep")
	if err := os.RemoveAll(in("plan.parts")); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 8 {
		killed(t, dir, time.Duration(rng.Int64N(int64(lived))), all...)
	}
	merge := newProcess(t, "", "merge", in("plan.json"), "--wait")
	if err := merge.Start(); err != nil {
		t.Fatal(err)
	}
	must(t, all...)
	if err := merge.Wait(); err != nil {
		t.Errorf("%v: %s", err, merge.stderr.String())
	}
	if !bytes.Equal(readFile(t, in("X.npy")), readFile(t, in("whole.npy"))) {
		t.Error("other bytes than those of one machine")
	}
	if left := hidden(t, dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A training in rounds whose parts and merges are killed has the model of one machine, and leaves nothing behind.
func TestKilledRoundsMakeTheSameModel(t *testing.T) {
	store := filepath.Join(t.TempDir(), "store")
	must(t, "data", "synth", "molecules", "--graphs", "17000", "--vertices", "6", "--seed", "1", "--to", "shards",
		"--out", store)
	for _, line := range [][]string{
		small("gckn-path", "--c", "1"), {"wl", "--c", "1"}, {"treeg", "--estimators", "1", "--leaves", "3"},
	} {
		t.Run(line[0], func(t *testing.T) { killedRounds(t, append(line, "--data", store)) })
	}
}

// killedRounds plans a training and kills its parts and its merges until it is done.
func killedRounds(t *testing.T, line []string) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	must(t, append([]string{"train", "-o", in("whole")}, line...)...)
	must(t, append([]string{"plan", "train", "--part-graphs", "4000", "--out", in("m"), "-o", in("plan.json")},
		line...)...)
	all := []string{"run-part", in("plan.json"), "--index", "0-4"}
	rng := rand.New(rand.NewPCG(1, 3))
	some := func() time.Duration { return time.Duration(rng.Int64N(int64(time.Second / 2))) }
	status := exitAgain
	for tries := 0; status != 0; tries++ {
		if entries, _ := filepath.Glob(in("plan.parts/known-????????????")); tries > 0 && len(entries) == 0 {
			break // the merge was killed when all was done
		}
		killed(t, dir, some(), all...)
		merge := newProcess(t, "", "merge", in("plan.json"), "--wait")
		if err := merge.Start(); err != nil {
			t.Fatal(err)
		}
		must(t, all...)
		after := some()
		if tries > 12 {
			after = never
		}
		timer := time.AfterFunc(after, func() { _ = merge.Process.Kill() })
		_ = merge.Wait()
		timer.Stop()
		status = merge.ProcessState.ExitCode() // -1 of one that was killed
		if status > 0 && status != exitAgain {
			t.Fatalf("status %d: %s", status, merge.stderr.String())
		}
	}
	if !bytes.Equal(readFile(t, in("m")), readFile(t, in("whole"))) {
		t.Error("another model than that of one machine")
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 3 || len(hidden(t, dir)) > 0 { // plan, two models
		t.Errorf("%v: left behind: %v", err, left)
	}
}
