package trials

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// away takes the data and the model away, which nobody but the bucket has then.
func away(t *testing.T) {
	t.Helper()
	for _, path := range []string{store, model} {
		hidden := path + ".hidden"
		if err := os.Rename(path, hidden); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := os.Rename(hidden, path); err != nil {
				t.Error(err)
			}
		})
	}
}

// works returns the folders of work in a cache.
func works(cache string) []string {
	found, _ := filepath.Glob(filepath.Join(cache, "work-*"))
	return found
}

// Workers that share no folder with anybody make the bytes of one process through a bucket, killed or not. Who submits
// again runs nothing, and needs no server of Temporal.
func TestABucketIsAllThatIsShared(t *testing.T) {
	b := newBucket(t)
	p := plan(t, "embed")
	mine, theirs := t.TempDir(), t.TempDir()
	victim := worker(t, "--cache", mine)
	other := worker(t, "--cache", theirs)
	s := submit(t, p, "--bucket", place)
	b.wait(recordKeys, 1)
	away(t)
	for kill := range 2 {
		b.wait(receiptKeys, 4+4*kill)
		victim.kill()
		victim = worker(t, "--cache", mine)
	}
	if said := s.succeeds(t); !strings.Contains(said, "SHA-256") || !strings.Contains(said, "rows.npy") {
		t.Error(said)
	}
	whole(t, p)
	b.tidy(2)
	for _, w := range []*process{victim, other} {
		if err := w.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		w.succeeds(t)
	}
	if left := append(works(mine), works(theirs)...); len(left) > 0 {
		t.Errorf("left by workers: %v", left)
	}

	if err := os.Remove(beside(p, "rows.npy")); err != nil {
		t.Fatal(err)
	}
	again := []string{"submit", p, "--bucket", place, "--address", "127.0.0.1:1"}
	start(t, cluster, again...).succeeds(t)
	whole(t, p)

	output := b.keys("tries/plans/*/outputs/out/rows.npy")[0]
	b.spoil(output)
	if err := os.Remove(beside(p, "rows.npy")); err != nil {
		t.Fatal(err)
	}
	start(t, cluster, again...).fails(t, output, "it has changed", "submit the plan again")
}

// The rounds of a training go through a bucket too, and what the planning gave.
func TestATrainingInABucket(t *testing.T) {
	long(t)
	b := newBucket(t)
	p := filepath.Join(t.TempDir(), "plan.json")
	line := append([]string{"plan"}, training...)
	must(t, grove, append(line, "--data", store, "--part-graphs", fmt.Sprint(4*perPart),
		"--out", beside(p, "trained.grove"), "-o", p)...)
	mine := t.TempDir()
	victim := worker(t, "--cache", mine)
	worker(t, "--cache", t.TempDir())
	s := submit(t, p, "--bucket", place)
	b.wait(recordKeys, 1)
	if err := os.RemoveAll(beside(p, "plan.parts")); err != nil {
		t.Fatal(err)
	}
	b.wait("tries/plans/*/plan.parts/round-2/*.json", 1)
	victim.kill()
	worker(t, "--cache", mine)
	s.succeeds(t)
	whole(t, p)
	b.tidy(1)
}

// What one machine needs a bucket for is that it may go away.
func TestLocalInABucket(t *testing.T) {
	b := newBucket(t)
	p := plan(t, "predict", "--part-graphs", "25000")
	cache := t.TempDir()
	must(t, cluster, "local", "--workers", "2", "--grove", grove, "--bucket", place, "--cache", cache, p)
	whole(t, p)
	b.tidy(1)
	if left := works(cache); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// A worker that hangs with its part loses it to another one, and leaves nothing in the bucket when it wakes up.
func TestAWorkerOfABucketHangs(t *testing.T) {
	long(t)
	b := newBucket(t)
	p := plan(t, "embed", "--part-graphs", "25000")
	slow := worker(t, "--cache", t.TempDir())
	s := submit(t, p, "--bucket", place)
	var stopped []int
	for len(stopped) < 2 {
		stopped = append([]int{slow.Process.Pid}, children(slow.Process.Pid)...)
	}
	for _, pid := range stopped {
		_ = syscall.Kill(pid, syscall.SIGSTOP)
	}
	worker(t, "--cache", t.TempDir())
	s.succeeds(t)
	for _, pid := range stopped {
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
	time.Sleep(time.Second) // what woke up
	if err := slow.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	slow.succeeds(t)
	whole(t, p)
	b.tidy(2)
}

// A bucket that cannot be had is one line that says why.
func TestBucketsThatCannotBeHad(t *testing.T) {
	b := newBucket(t)
	p := plan(t, "embed")
	refuse := func(words []string, more ...string) {
		t.Helper()
		start(t, cluster, append([]string{"submit", p, "--address", address}, more...)...).fails(t, words...)
	}
	refuse([]string{"--bucket molecules", "want s3://BUCKET"}, "--bucket", "molecules")
	refuse([]string{"--endpoint nowhere", "want http"}, "--bucket", place, "--endpoint", "nowhere")
	refuse([]string{"s3://nowhere: no such bucket", b.url}, "--bucket", "s3://nowhere/tries")
	refuse([]string{"http://127.0.0.1:1 does not answer"}, "--bucket", place, "--endpoint", "http://127.0.0.1:1")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "another secret")
	refuse([]string{b.url, "refuses the credentials", "SignatureDoesNotMatch"}, "--bucket", place)
	t.Setenv("AWS_ACCESS_KEY_ID", "nobody")
	refuse([]string{b.url, "refuses the credentials", "InvalidAccessKeyId"}, "--bucket", place)
	if n := len(b.keys(inputKeys)); n > 0 {
		t.Errorf("%d objects", n)
	}
}

// What is changed or removed in a bucket meanwhile is named; what is done is kept, and submitting again goes on.
func TestABucketIsChangedUnderneath(t *testing.T) {
	long(t)
	b := newBucket(t)
	p := plan(t, "embed")
	stranger := submitBy(t, "another secret", p)
	stranger.fails(t, "parts failed", "refuses the credentials", "SignatureDoesNotMatch", "the others are kept")

	largest, size := "", 0
	for _, key := range b.keys(inputKeys) {
		if n := len(b.read(key)); n > size {
			largest, size = key, n
		}
	}
	good := b.read(largest)
	b.spoil(largest)
	w := worker(t, "--cache", t.TempDir())
	submit(t, p, "--bucket", place).fails(t, largest, "it has changed", "submit the plan again")
	b.remove(largest)
	submit(t, p, "--bucket", place)
	b.wait(resultKeys, 4)
	if !bytes.Equal(b.read(largest), good) {
		t.Error("the object that was removed is not there again")
	}
	w.kill()
	spoiled, gone := b.keys(resultKeys)[0], b.keys(resultKeys)[1]
	b.spoil(spoiled)
	b.remove(gone)

	worker(t, "--cache", t.TempDir())
	submit(t, p, "--bucket", place).fails(t, spoiled, "it has changed", "2 of 20 parts", "submit the plan again")
	submit(t, p, "--bucket", place).succeeds(t)
	whole(t, p)
	b.tidy(2)
}

// submitBy submits a plan for one worker whose secret is another one, and which is gone when that failed.
func submitBy(t *testing.T, secret, p string) *process {
	t.Helper()
	mine := os.Getenv("AWS_SECRET_ACCESS_KEY")
	t.Setenv("AWS_SECRET_ACCESS_KEY", secret)
	w := worker(t, "--cache", t.TempDir())
	t.Setenv("AWS_SECRET_ACCESS_KEY", mine)
	s := submit(t, p, "--bucket", place, "--attempts", "1")
	for len(s.ended) == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	w.kill()
	return s
}
