package trials

import (
	"bytes"
	"context"
	"io"
	"log"
	"net/http/httptest"
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
