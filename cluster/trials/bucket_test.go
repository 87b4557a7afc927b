package trials

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rclone/gofakes3"
	"github.com/rclone/gofakes3/s3mem"
)

// bucket is one of a server that speaks S3 in this process, in memory, and checks signatures.
type bucket struct {
	t       *testing.T
	objects *s3mem.Backend
	url     string
}

const (
	bucketName = "molecules"
	place      = "s3://" + bucketName + "/tries"
)

// newBucket makes one, and gives the programs that are started what they need to speak to it.
func newBucket(t *testing.T) *bucket {
	b := &bucket{t: t, objects: s3mem.New()}
	if err := b.objects.CreateBucket(context.Background(), bucketName); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(
		gofakes3.New(b.objects, gofakes3.WithV4Auth(map[string]string{"grove": "a secret"})).Server())
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // it answers a HEAD that it refuses twice
	s.Start()
	t.Cleanup(s.Close)
	b.url = s.URL
	t.Setenv("AWS_ENDPOINT_URL", s.URL)
	t.Setenv("AWS_ACCESS_KEY_ID", "grove")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "a secret")
	return b
}

// keys lists the objects whose keys have these words, in a pattern as those of files.
func (b *bucket) keys(pattern string) (found []string) {
	b.t.Helper()
	list, err := b.objects.ListBucket(context.Background(), bucketName, nil, gofakes3.ListBucketPage{})
	if err != nil {
		b.t.Fatal(err)
	}
	for _, o := range list.Contents {
		if ok, err := filepath.Match(pattern, o.Key); err != nil {
			b.t.Fatal(err)
		} else if ok {
			found = append(found, o.Key)
		}
	}
	return found
}

// read returns the bytes of an object.
func (b *bucket) read(key string) []byte {
	b.t.Helper()
	o, err := b.objects.GetObject(context.Background(), bucketName, key, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	content, err := io.ReadAll(o.Contents)
	if err != nil {
		b.t.Fatal(err)
	}
	return content
}

func (b *bucket) remove(key string) {
	b.t.Helper()
	if _, err := b.objects.DeleteObject(context.Background(), bucketName, key); err != nil {
		b.t.Fatal(err)
	}
}

// spoil changes a byte in the middle of an object.
func (b *bucket) spoil(key string) {
	b.t.Helper()
	content := b.read(key)
	content[len(content)/2]++
	if _, err := b.objects.PutObject(context.Background(), bucketName, key, map[string]string{},
		bytes.NewReader(content), int64(len(content))); err != nil {
		b.t.Fatal(err)
	}
}

// wait waits until so many objects are there.
func (b *bucket) wait(pattern string, objects int) {
	b.t.Helper()
	for range 2400 {
		if len(b.keys(pattern)) >= objects {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	b.t.Fatalf("%d of %s after a minute, want %d", len(b.keys(pattern)), pattern, objects)
}

// Patterns of keys.
const (
	recordKeys  = "tries/plans/*/record.json"
	receiptKeys = "tries/plans/*/plan.parts/*.json"
	resultKeys  = "tries/plans/*/plan.parts/*.out"
	outputKeys  = "tries/plans/*/outputs/*/*"
	inputKeys   = "tries/objects/*"
)

// tidy wants of a plan that is merged its record and its outputs to be there, and nothing else.
func (b *bucket) tidy(outputs int) {
	b.t.Helper()
	if n := len(b.keys(outputKeys)); n != outputs {
		b.t.Errorf("%d outputs, want %d", n, outputs)
	}
	all := b.keys("tries/plans/*")
	for depth := range 4 {
		all = append(all, b.keys("tries/plans/*"+strings.Repeat("/*", depth+1))...)
	}
	if len(all) != outputs+1 {
		b.t.Errorf("left: %v", all)
	}
}

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
