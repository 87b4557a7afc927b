package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// plainBinary builds the command line as make does: with C, each thread would reserve address space.
func plainBinary(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "grove")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return binary
}

// No command ends in a dump of the Go runtime where the address space is limited to one gigabyte, most of which the
// runtime reserves, whether it has enough or not: what there is to say is one line.
func TestLimitedAddressSpace(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a while")
	}
	grove, dir := plainBinary(t), t.TempDir()
	small, large := molecules(t, "molecules"), filepath.Join(dir, "large")
	must(t, "data", "synth", "molecules", "--graphs", "20000", "--seed", "1", "--out", large)
	model, trees, kernel := filepath.Join(dir, "m.grove"), filepath.Join(dir, "t.grove"), filepath.Join(dir, "k.grove")
	must(t, "train", "gckn-path", "--data", small, "--filters", "16", "-o", model)
	must(t, "train", "treeg", "--data", small, "--estimators", "2", "-o", trees)
	must(t, "train", "wl", "--data", small, "-o", kernel)
	out := filepath.Join(dir, "out")
	ended := map[int]int{}
	for _, line := range []string{
		"", "help", "--version", "devices", "man " + out + "-man", "completion bash", "data", "data list",
		"data synth power-law --graphs 100000 --out " + out + "1", "data synth molecules --graphs 9 --out " + out + "2",
		"data info " + small, "data info " + large, "data convert --to shards --out " + out + "3 " + large,
		"data split --out " + out + "4 " + large, "data fetch MUTAG --url http://127.0.0.1:1/ --dir " + dir,
		"eval gckn-path --data " + large, "eval treeg --estimators 1 --data " + large, "eval wl --data " + large,
		"eval wl --data " + small,
		"eval gckn-path --filters 4000 --data " + small,
		"train gckn-subtree -o " + out + "5 --data " + large, "train dwl-oa --machine kernel -o " + out + "6 --data " + large,
		"train cgmm --classifier jaccard -o " + out + "7 --data " + large,
		"train mpgk-rr -o " + out + "8 --data " + large, "train gckn-path-sup --epochs 1 -o " + out + "9 --data " + large,
		"predict --model " + model + " --data " + large, "predict --model " + kernel + " --data " + large,
		"explain --model " + model + " --index all -o " + out + ".svg --data " + large, "dump --model " + trees,
		"embed gckn-path -o " + out + "10 --data " + large, "embed mpgk-aa -o " + out + "11 --data " + large,
		"gram wl-oa -o " + out + "12 --data " + large, "gram wl -o " + out + "13 --data " + small,
	} {
		p := newProcess(t, "ulimit -v 1000000", strings.Fields(line)...)
		p.Args[3] = grove
		watch := time.AfterFunc(5*time.Second, func() { _ = p.Process.Signal(os.Interrupt) })
		_ = p.Run()
		watch.Stop()
		status, said := p.ProcessState.ExitCode(), p.stderr.String()
		ended[status]++
		for _, trace := range []string{"goroutine ", "fatal error", "runtime"} {
			if strings.Contains(said, trace) {
				t.Errorf("grove %s: there is %q on standard error", line, trace)
			}
		}
		said = shownProgress.ReplaceAllString(said, "")
		known := status == 0 || status == exitFailure || status == exitUsage || status == exitInterrupted
		if !known || strings.Count(said, "\n") > 1 && status != exitInterrupted || status != 0 && said == "" {
			t.Errorf("grove %s: exit status %d, it says %q", line, status, said)
		}
	}
	if ended[0] < 10 || ended[exitFailure] < 5 {
		t.Errorf("commands by exit status: %v", ended)
	}
}

func TestEpitaph(t *testing.T) {
	for dump, want := range map[string]string{
		"runtime: out of memory: cannot allocate 8-byte block\nfatal error: out of memory\n":            "ulimit -v",
		"runtime/cgo: pthread_create failed: Resource temporarily unavailable\nSIGABRT: abort\nPC=0x7f": "ulimit -v",
		"fatal error: failed to reserve page summary memory\n":                                          "ulimit -v",
		"panic: runtime error: index out of range [3]\n\ngoroutine 1\n":                                 "out of range [3]",
		"fatal error: all goroutines are asleep - deadlock!\n":                                          "deadlock",
		"SIGSEGV: segmentation violation\nPC=0x0\n":                                                     "segmentation",
	} {
		said := epitaph(dump)
		if !strings.Contains(said, want) || strings.Contains(said, "\n") {
			t.Errorf("%q is said of %q", said, dump)
		}
	}
	if said := epitaph("CUDA warning\n"); said != "" {
		t.Errorf("%q is said of a warning", said)
	}
}

// A mistake of the programmer ends in one line too.
func TestPanicIsAnError(t *testing.T) {
	t.Setenv("GOTRACEBACK", "")
	err := (&app{}).execute(context.Background()) // an app without progress
	if err == nil || !strings.Contains(err.Error(), "please report it") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
}
