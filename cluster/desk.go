package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/grove-graph/grove/parts"
)

// desk is where a worker has the files of a plan in a bucket while it works on it:
//
//	CACHE/objects/SHA256   files of inputs, which workers and plans share
//	CACHE/work-NUMBER/     what a worker has at hand, locked as long as it lives
//	  plan/                the plan, its inputs as links to the objects, the results of the part under way
//
// What the dead have left is removed by the next worker, and an object that nobody wanted for [keepObjects].
type desk struct {
	cache    string
	endpoint string

	dir    string   // work-NUMBER, "" before there is any
	lock   *os.File // of dir
	bucket *bucket
	job    Job // whose plan lies here
	said   record
	plan   *parts.Plan
}

const (
	workFolder  = "work-"
	lockName    = "lock"
	keepObjects = 7 * 24 * time.Hour
)

// newDesk names the folder of a worker's cache, and tidies it up.
func newDesk(cache, endpoint string) (*desk, error) {
	if cache == "" {
		all, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("--cache: name a folder: %w", err)
		}
		cache = filepath.Join(all, "grove-cluster")
	}
	d := &desk{cache: cache, endpoint: endpoint}
	if _, err := os.Stat(cache); err != nil {
		return d, nil
	}
	return d, d.alone(d.tidy)
}

// alone does something while no other process makes or removes folders of work.
func (d *desk) alone(do func() error) error {
	lock, err := lockFile(filepath.Join(d.cache, lockName), true)
	if err != nil {
		return fmt.Errorf("--cache %s: %w", d.cache, err)
	}
	return errors.Join(do(), lock.Close())
}

// tidy removes what nobody needs.
func (d *desk) tidy() error {
	works, err := filepath.Glob(filepath.Join(d.cache, workFolder+"*"))
	if err != nil {
		return err
	}
	for _, work := range works {
		lock, err := lockFile(filepath.Join(work, lockName), false)
		if err != nil {
			continue // its worker lives
		}
		if err := errors.Join(lock.Close(), os.RemoveAll(work)); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(filepath.Join(d.cache, objects))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > keepObjects {
			_ = os.Remove(filepath.Join(d.cache, objects, entry.Name()))
		}
	}
	return err
}

// begin makes the folder of this worker.
func (d *desk) begin() error {
	if d.dir != "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Join(d.cache, objects), 0o777); err != nil {
		return err
	}
	return d.alone(func() error {
		dir, err := os.MkdirTemp(d.cache, workFolder)
		if err != nil {
			return err
		}
		if d.lock, err = lockFile(filepath.Join(dir, lockName), false); err == nil {
			d.dir = dir
		}
		return err
	})
}

// close removes the folder of this worker.
func (d *desk) close() {
	if d.dir == "" {
		return
	}
	_ = d.alone(func() error { return errors.Join(d.lock.Close(), os.RemoveAll(d.dir)) })
	d.dir = ""
}

// clear removes the plan that lies here.
func (d *desk) clear() {
	if d.plan != nil {
		_ = os.RemoveAll(d.path(""))
	}
	d.plan, d.said = nil, record{}
}

// path returns where a file of the plan is on this machine.
func (d *desk) path(name string) string {
	return filepath.Join(d.dir, "plan", filepath.FromSlash(name))
}

// key returns the key of a file of the plan.
func (d *desk) key(name string) string { return folderOf(d.job.Digest) + name }

// place returns the file of the plan of a job as the bucket has it, and reports whether its round is over.
func (d *desk) place(ctx context.Context, job Job) (over bool, err error) {
	if err := d.begin(); err != nil {
		return false, err
	}
	if d.job.Plan != job.Plan {
		d.clear()
		if d.bucket, err = openBucket(job.Bucket, d.endpoint); err != nil {
			return false, err
		}
	}
	d.job = job
	var r record
	switch err := d.bucket.getJSON(ctx, d.key(recordName), &r); {
	case errors.Is(err, errNoObject):
		return false, refused(err.Error() + "; submit the plan again")
	case err != nil:
		return false, err
	}
	if d.plan == nil || r.Plan != d.said.Plan {
		if err := d.lay(r.Plan); err != nil {
			return false, err
		}
	}
	d.said = r
	here := job
	here.Plan = d.path(planName)
	_, over, err = here.open()
	return over, err
}

// lay writes a plan, and makes the folders that its outputs are to be in.
func (d *desk) lay(plan string) (err error) {
	at := d.path(planName)
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(at, []byte(plan), 0o666); err != nil {
		return err
	}
	if d.plan, err = parts.Open(at); err != nil {
		return err
	}
	for _, o := range d.plan.Outputs {
		if err := os.MkdirAll(filepath.Dir(d.plan.Path(o.Path)), 0o777); err != nil {
			return err
		}
	}
	return nil
}

// bring fetches what the items from one to the one before another read, where there are none what the merge reads
// besides results.
func (d *desk) bring(ctx context.Context, from, to int) error {
	var missing []file
	for _, f := range d.said.Files {
		if _, err := os.Lstat(d.path(f.Path)); err != nil && f.wanted(from, to) {
			missing = append(missing, f)
		}
	}
	return several(ctx, len(missing), func(ctx context.Context, i int) error {
		err := d.fetch(ctx, missing[i])
		var changed *changedError
		if errors.As(err, &changed) || errors.Is(err, errNoObject) {
			return refused(err.Error() + "; remove what is there, if anything, and submit the plan again")
		}
		return err
	})
}

// fetch fetches a file, and keeps that of an input for other plans and workers.
func (d *desk) fetch(ctx context.Context, f file) error {
	to := d.path(f.Path)
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	kept := ""
	if strings.HasPrefix(f.Object, objects) {
		kept = filepath.Join(d.cache, filepath.FromSlash(f.Object))
		if info, err := os.Stat(kept); err == nil && info.Size() != f.Bytes { // the machine went down
			_ = os.Remove(kept)
		}
		now := time.Now()
		if os.Chtimes(kept, now, now) == nil && os.Link(kept, to) == nil {
			return nil
		}
	}
	fresh := to + ".fetching"
	if err := d.bucket.verified(ctx, f, fresh); err != nil {
		return err
	}
	if kept != "" {
		if err := os.Link(fresh, kept); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return os.Rename(fresh, to)
}
