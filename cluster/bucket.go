package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"golang.org/x/sync/errgroup"
)

// bucket is a place for objects in a bucket of S3, or of what speaks like it: those whose keys begin with a prefix.
// Keys are relative to it. An object appears as a whole, or not at all.
type bucket struct {
	client   *minio.Client
	endpoint string
	name     string
	prefix   string // "", or with a slash at its end
}

const (
	// scheme is what the name of a place in a bucket begins with.
	scheme = "s3://"
	// onePut is the largest object that S3 takes in one request. Larger ones go in pieces, which what was killed leaves
	// behind until the object is put again.
	onePut = 5 << 30
	// pieceBytes is the size of a piece, of which an object has at most 10 000.
	pieceBytes = 512 << 20
	// transfers is how many objects are on their way at a time.
	transfers = 8
	// tries is how often a request is made whose server does not answer, or asks for patience.
	tries = 4
)

// endpointOf returns where S3 is: what a flag says, or the environment as for the programs of AWS.
func endpointOf(flag string) string {
	return cmp.Or(flag, os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"), "https://s3.amazonaws.com")
}

// openBucket returns the place s3://BUCKET/PREFIX. Nothing is asked of the server yet. Credentials are those of the
// programs of AWS: in the environment, in the files of a profile, of the machine.
func openBucket(place, endpoint string) (*bucket, error) {
	name, prefix, _ := strings.Cut(strings.TrimPrefix(place, scheme), "/")
	if !strings.HasPrefix(place, scheme) || name == "" {
		return nil, usagef("--bucket %s: want s3://BUCKET or s3://BUCKET/PREFIX", place)
	}
	if prefix = strings.Trim(prefix, "/"); prefix != "" {
		prefix += "/"
	}
	endpoint = endpointOf(endpoint)
	at, err := url.Parse(endpoint)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, usagef("--endpoint %s: want http://HOST:PORT or https://HOST", endpoint)
	}
	c, err := minio.New(at.Host, &minio.Options{
		Secure:     at.Scheme == "https",
		Region:     cmp.Or(os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION")),
		MaxRetries: tries,
		Creds: credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.FileAWSCredentials{},
			&credentials.IAM{Client: &http.Client{Timeout: 5 * time.Second}},
		}),
	})
	if err != nil {
		return nil, usagef("--endpoint %s: %v", endpoint, err)
	}
	return &bucket{c, endpoint, name, prefix}, nil
}

// String names the place.
func (b *bucket) String() string { return strings.TrimSuffix(scheme+b.name+"/"+b.prefix, "/") }

// path names an object of the place.
func (b *bucket) path(key string) string { return scheme + b.name + "/" + b.prefix + key }

// errNoObject says that an object is not there.
var errNoObject = errors.New("no such object")

// fails words an error of an object.
func (b *bucket) fails(key string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	said := minio.ToErrorResponse(err)
	switch {
	case said.Code == minio.NoSuchBucket:
		return fmt.Errorf("%s: no such bucket at %s", scheme+b.name, b.endpoint)
	case said.Code == minio.NoSuchKey:
		return fmt.Errorf("%s: %w", b.path(key), errNoObject)
	case said.Code == minio.AccessDenied, said.StatusCode == http.StatusForbidden:
		return fmt.Errorf("%s: %s refuses the credentials (%s): set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, "+
			"or AWS_PROFILE, to what may read and write there", scheme+b.name, b.endpoint, said.Code)
	case said.StatusCode != 0:
		return fmt.Errorf("%s: %s (%s)", b.path(key), said.Message, said.Code)
	}
	var unreached *url.Error
	if errors.As(err, &unreached) {
		return fmt.Errorf("%s: %s does not answer: %w", b.path(key), b.endpoint, unreached.Err)
	}
	return fmt.Errorf("%s: %w", b.path(key), err)
}

// put makes an object of a file.
func (b *bucket) put(ctx context.Context, key, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	return b.write(ctx, key, file, info.Size())
}

// putJSON makes an object of a value.
func (b *bucket) putJSON(ctx context.Context, key string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return b.write(ctx, key, bytes.NewReader(text), int64(len(text)))
}

func (b *bucket) write(ctx context.Context, key string, from io.Reader, size int64) error {
	options := minio.PutObjectOptions{DisableMultipart: size <= onePut, SendContentMd5: true}
	if !options.DisableMultipart {
		options.PartSize = pieceBytes
		_ = b.client.RemoveIncompleteUpload(ctx, b.name, b.prefix+key) // of one that was killed
	}
	_, err := b.client.PutObject(ctx, b.name, b.prefix+key, from, size, options)
	return b.fails(key, err)
}

// get writes the bytes of an object, and returns their SHA-256.
func (b *bucket) get(ctx context.Context, key string, to io.Writer) (string, error) {
	object, err := b.client.GetObject(ctx, b.name, b.prefix+key, minio.GetObjectOptions{})
	if err != nil {
		return "", b.fails(key, err)
	}
	defer func() { _ = object.Close() }()
	sum := sha256.New()
	written := &writes{to: io.MultiWriter(to, sum)}
	if _, err := io.Copy(written, object); written.err != nil {
		return "", written.err
	} else if err != nil {
		return "", b.fails(key, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// writes remembers the error of writing, to tell it from one of reading.
type writes struct {
	to  io.Writer
	err error
}

// Write implements [io.Writer].
func (w *writes) Write(p []byte) (n int, err error) {
	n, w.err = w.to.Write(p)
	return n, w.err
}

// getJSON reads an object that putJSON made.
func (b *bucket) getJSON(ctx context.Context, key string, value any) error {
	var text bytes.Buffer
	if _, err := b.get(ctx, key, &text); err != nil {
		return err
	}
	if err := json.Unmarshal(text.Bytes(), value); err != nil {
		return fmt.Errorf("%s: not what grove-cluster has put there: %w", b.path(key), err)
	}
	return nil
}

// has reports whether an object of that size is there.
func (b *bucket) has(ctx context.Context, key string, size int64) (bool, error) {
	info, err := b.client.StatObject(ctx, b.name, b.prefix+key, minio.StatObjectOptions{})
	if err = b.fails(key, err); errors.Is(err, errNoObject) {
		return false, nil
	}
	return err == nil && info.Size == size, err
}

// remove removes objects; those that are not there are none to remove.
func (b *bucket) remove(ctx context.Context, keys ...string) error {
	objects := make(chan minio.ObjectInfo)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer close(objects)
		for _, key := range keys {
			select {
			case objects <- minio.ObjectInfo{Key: b.prefix + key}:
			case <-ctx.Done():
				return
			}
		}
	}()
	var failed error
	for e := range b.client.RemoveObjects(ctx, b.name, objects, minio.RemoveObjectsOptions{}) {
		if failed == nil {
			failed = b.fails(strings.TrimPrefix(e.ObjectName, b.prefix), e.Err)
		}
	}
	return cmp.Or(failed, ctx.Err())
}

// several calls do for every number below n, some at a time, until one fails.
func several(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(transfers)
	for i := range n {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return do(ctx, i)
		})
	}
	return group.Wait()
}
