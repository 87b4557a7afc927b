package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/grove-graph/grove/atomicfile"
	"github.com/grove-graph/grove/parts"
	"github.com/spf13/pflag"
)

// bucketFlags say where the files of plans are.
type bucketFlags struct{ place, endpoint string }

func (f *bucketFlags) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&f.place, "bucket", "",
		"`s3://BUCKET/PREFIX` where plan, inputs and results are (default: in a shared folder)")
	addEndpoint(fs, &f.endpoint)
}

func addEndpoint(fs *pflag.FlagSet, endpoint *string) {
	fs.StringVar(endpoint, "endpoint", "",
		"`URL` of what speaks S3 (default: $AWS_ENDPOINT_URL_S3, $AWS_ENDPOINT_URL, or Amazon's)")
}

// deposit is a plan of this machine whose work is done in a bucket.
type deposit struct {
	*bucket
	mine *parts.Plan
	plan *parts.Plan // as it is in the bucket
	key  string      // of its folder there
}

// openDeposit makes a job one whose files are in a bucket.
func openDeposit(f *bucketFlags, plan *parts.Plan, job *Job) (*deposit, error) {
	b, err := openBucket(f.place, f.endpoint)
	if err != nil {
		return nil, err
	}
	d := &deposit{bucket: b, mine: plan}
	if d.plan, err = portable(plan); err != nil {
		return nil, err
	}
	if job.Digest, err = d.plan.Identity(); err != nil {
		return nil, err
	}
	d.key = folderOf(job.Digest)
	job.Bucket, job.Plan = b.String(), strings.TrimSuffix(b.path(d.key), "/")
	return d, nil
}

// record returns what the bucket says of the plan.
func (d *deposit) record(ctx context.Context) (r record, err error) {
	return r, d.getJSON(ctx, d.key+recordName, &r)
}

// push puts what the plan needs into the bucket, but for what is there, and reports whether the plan is merged.
func (d *deposit) push(ctx context.Context) (merged bool, err error) {
	r, err := d.record(ctx)
	there := err == nil
	if there && r.Outputs != nil {
		return true, nil
	}
	if err != nil && !errors.Is(err, errNoObject) {
		return false, err
	}
	if there { // so that any machine may look at the work, without the data
		if all, err := d.hasAll(ctx, r.Files); all || err != nil {
			return false, err
		}
	}
	files, at, err := d.inputs()
	if err != nil {
		return false, err
	}
	if there {
		return false, d.send(ctx, files, at)
	}
	found, from, err := known(d.mine, d.plan, nil)
	if err != nil {
		return false, err
	}
	files, at = append(files, found...), append(at, from...)
	if err := d.send(ctx, files, at); err != nil {
		return false, err
	}
	if r.Plan, err = text(d.plan); err != nil {
		return false, err
	}
	r.Files = files
	return false, d.putJSON(ctx, d.key+recordName, r)
}

// hasAll reports whether files are in the bucket.
func (d *deposit) hasAll(ctx context.Context, files []file) (bool, error) {
	var missing atomic.Bool
	err := several(ctx, len(files), func(ctx context.Context, i int) error {
		has, err := d.has(ctx, files[i].Object, files[i].Bytes)
		if !has {
			missing.Store(true)
		}
		return err
	})
	return !missing.Load(), err
}

// send puts files of this machine into the bucket, but for those that are there, and says so from time to time.
func (d *deposit) send(ctx context.Context, files []file, at []string) error {
	var all, sent, new int64
	for _, f := range files {
		all += f.Bytes
	}
	var mutex sync.Mutex
	said := time.Now()
	err := several(ctx, len(files), func(ctx context.Context, i int) error {
		f := files[i]
		has, err := d.has(ctx, f.Object, f.Bytes)
		if err == nil && !has {
			err = d.put(ctx, f.Object, at[i])
		}
		mutex.Lock()
		defer mutex.Unlock()
		if sent += f.Bytes; !has {
			new += f.Bytes
		}
		if time.Since(said) >= sayEvery {
			said = time.Now()
			fmt.Fprintf(os.Stderr, "grove-cluster: %s: %d of %d MB\n", d, sent>>20, all>>20)
		}
		return err
	})
	if err == nil {
		fmt.Fprintf(os.Stderr, "grove-cluster: %s: %d files of %d MB, of which %d MB were not there yet\n",
			d, len(files), all>>20, new>>20)
	}
	return err
}

// inputs lists the files of the inputs, and where they are on this machine.
func (d *deposit) inputs() (files []file, at []string, err error) {
	for k, i := range d.mine.Inputs {
		from := d.mine.Path(i.Path)
		wanted, err := d.wanted(i, from)
		if err != nil {
			return nil, nil, err
		}
		found, err := filesOf(from)
		if err != nil {
			return nil, nil, fmt.Errorf("--%s %s: %w", i.Flag, from, err)
		}
		for _, name := range found {
			f, err := described(name, "", objects)
			if err != nil {
				return nil, nil, err
			}
			f.Object += f.SHA256
			relative, err := filepath.Rel(from, name)
			if err != nil {
				return nil, nil, err
			}
			f.Path = path.Join(d.plan.Inputs[k].Path, filepath.ToSlash(relative))
			if w, ok := wanted[relative]; ok {
				f.From, f.To = w.From, w.To
				if w.SHA256 != f.SHA256 {
					return nil, nil, fmt.Errorf("%s: other bytes than %s says; write the store again", name, storeIndex)
				}
			}
			files, at = append(files, f), append(at, name)
		}
	}
	return files, at, nil
}

// filesOf lists the files of an input: of a folder all within it, of a file those of tables beside it too.
func filesOf(input string) (found []string, err error) {
	info, err := os.Stat(input)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		found = []string{input}
		for _, tables := range []string{"vertices.*", "nodes.*", "graphs.*"} { // of a list of edges
			beside, err := filepath.Glob(filepath.Join(filepath.Dir(input), tables))
			if err != nil {
				return nil, err
			}
			found = append(found, beside...)
		}
		return found, nil
	}
	err = filepath.WalkDir(input+string(filepath.Separator), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name()[0] == '.' {
			return err
		}
		found = append(found, name)
		return nil
	})
	return found, err
}

// storeIndex is the file of a store that lists the others.
const storeIndex = "shards.json"

// wanted says which items want the files of an input that is a store, by their names, and refuses an input that is not
// the one of the plan as far as that can be told from files.
func (d *deposit) wanted(i parts.Input, at string) (map[string]file, error) {
	digested, store := at, false
	if index := filepath.Join(at, storeIndex); isRegular(index) {
		digested, store = index, true
	}
	graphByGraph := d.mine.Job == "embed" || d.mine.Job == "predict"
	if (graphByGraph || d.mine.Job == "train") && (i.Flag == "data" || i.Flag == "model") {
		switch sum, err := parts.FileDigest(digested); {
		case err != nil:
			return nil, fmt.Errorf("--%s: %w", i.Flag, err)
		case sum != i.Digest:
			return nil, fmt.Errorf("--%s %s: it has changed since the plan was made (digest %.12s, then %.12s); plan again",
				i.Flag, at, sum, i.Digest)
		}
	}
	if !store {
		return nil, nil
	}
	content, err := os.ReadFile(digested)
	if err != nil {
		return nil, err
	}
	var listed struct {
		Files []struct {
			Name, SHA256 string
			Graphs       int
		}
	}
	if err := json.Unmarshal(content, &listed); err != nil {
		return nil, fmt.Errorf("%s: %w", digested, err)
	}
	found, before := map[string]file{}, 0
	for _, f := range listed.Files {
		w := file{SHA256: f.SHA256}
		if graphByGraph {
			w.From, w.To = before, before+f.Graphs
		}
		found[f.Name] = w
		before += f.Graphs
	}
	return found, nil
}

func isRegular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// fetch writes the outputs where the plan wants them, and says so as grove merge does.
func (d *deposit) fetch(ctx context.Context) error {
	r, err := d.record(ctx)
	if err != nil {
		return err
	}
	if len(r.Outputs) != len(d.mine.Outputs) {
		return fmt.Errorf("%s: it is not merged", d.path(d.key))
	}
	for k, f := range r.Outputs {
		to := d.mine.Path(d.mine.Outputs[k].Path)
		if sum, err := parts.FileDigest(to); err != nil || sum != f.SHA256 {
			if err := d.fetchOutput(ctx, f, to); err != nil {
				return err
			}
		}
		fmt.Printf("%s: %d bytes of %d parts, SHA-256 %s\n", to, f.Bytes, d.plan.Parts(), f.SHA256)
	}
	return nil
}

func (d *deposit) fetchOutput(ctx context.Context, f file, to string) error {
	var failed error
	err := atomicfile.Write(to, func(w io.Writer) error {
		var sum string
		if sum, failed = d.get(ctx, f.Object, w); failed == nil && sum != f.SHA256 {
			failed = &changedError{d.path(f.Object), sum, f.SHA256}
		}
		return failed
	})
	if failed != nil {
		err = failed
	}
	var changed *changedError
	if errors.As(err, &changed) || errors.Is(err, errNoObject) {
		if e := d.remove(ctx, d.key+recordName); e != nil { // which said that it is there
			return e
		}
		return fmt.Errorf("%w; submit the plan again, which computes it anew", err)
	}
	return err
}
