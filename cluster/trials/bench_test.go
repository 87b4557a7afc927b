package trials

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkTwoWorkers embeds the molecules in 512 columns by one process with two threads and, in parts, by two workers
// with one thread each that wait, in turn, and reports the medians of the seconds and of their ratios.
//
//	BUILD=$PWD/build go -C cluster test ./trials -run xxx -bench TwoWorkers -benchtime 7x
func BenchmarkTwoWorkers(b *testing.B) {
	dir := b.TempDir()
	small, wide := filepath.Join(dir, "small"), filepath.Join(dir, "wide.grove")
	must(b, grove, "data", "synth", "molecules", "--graphs", "200", "--seed", "2", "--out", small)
	must(b, grove, "train", "gckn-path", "--data", small, "--filters", "128", "--seed", "1", "--c", "1", "-o", wide)
	worker(b)
	worker(b)
	time.Sleep(2 * time.Second)
	p, one := filepath.Join(dir, "plan.json"), filepath.Join(dir, "one.npy")
	round := func() (whole, cut float64) {
		must(b, grove, "plan", "embed", "--model", wide, "--data", store, "--part-graphs", "5000",
			"--out", beside(p, "rows.npy"), "-o", p)
		whole = seconds(b, grove, "embed", "--model", wide, "--data", store, "--workers", "2", "-o", one)
		cut = seconds(b, cluster, "submit", p, "--address", address)
		want, err := os.ReadFile(one)
		if err != nil {
			b.Fatal(err)
		}
		if got, err := os.ReadFile(beside(p, "rows.npy")); err != nil || !bytes.Equal(got, want) {
			b.Fatalf("%v: other bytes than those of one process", err)
		}
		for _, path := range []string{p, one, beside(p, "rows.npy")} {
			if err := os.Remove(path); err != nil {
				b.Fatal(err)
			}
		}
		return whole, cut
	}
	round() // the first reads the programs from the disk
	var wholes, cuts, ratios []float64
	for b.Loop() {
		whole, cut := round()
		b.Logf("one process %.2f s, two workers %.2f, %.2f times", whole, cut, cut/whole)
		wholes, cuts, ratios = append(wholes, whole), append(cuts, cut), append(ratios, cut/whole)
	}
	b.ReportMetric(median(wholes), "s-one-process")
	b.ReportMetric(median(cuts), "s-two-workers")
	b.ReportMetric(median(ratios), "ratio")
}

// seconds runs a program after a second of rest, in which the disk writes what was there before.
func seconds(t testing.TB, program string, args ...string) float64 {
	t.Helper()
	time.Sleep(time.Second)
	c, begin := exec.Command(program, args...), time.Now()
	if said, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", strings.Join(c.Args, " "), err, said)
	}
	return time.Since(begin).Seconds()
}

func median(x []float64) float64 {
	slices.Sort(x)
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}
