package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/grove-graph/grove/parts"
)

// done reports whether a part has its receipt, and all that this speaks of, in the bucket.
func (d *desk) done(ctx context.Context, part int) (bool, error) {
	keys := d.keys(part)
	last := len(keys) - 1
	var r parts.Receipt
	switch err := d.bucket.getJSON(ctx, keys[last], &r); {
	case errors.Is(err, errNoObject):
		return false, nil
	case err != nil:
		return false, err
	}
	if r.Plan != digestOf(d.said.Plan) || r.Part != part || len(r.Results) != last {
		return false, nil
	}
	for k, result := range r.Results {
		if has, err := d.bucket.has(ctx, keys[k], result.Bytes); !has || err != nil {
			return false, err
		}
	}
	return true, nil
}

// keys returns those of the files of a part, the receipt last.
func (d *desk) keys(part int) (keys []string) {
	for _, at := range d.plan.Files(part) {
		relative, err := filepath.Rel(d.path(""), at)
		if err != nil {
			panic(err) // both lie in one folder
		}
		keys = append(keys, d.key(filepath.ToSlash(relative)))
	}
	return keys
}

// handIn puts the results of a part and then the receipt into the bucket, and removes them here. Where the round was
// over meanwhile, nobody wants them.
func (d *desk) handIn(ctx context.Context, part int) error {
	keys, files := d.keys(part), d.plan.Files(part)
	for k, at := range files {
		if err := d.bucket.put(ctx, keys[k], at); err != nil {
			return err
		}
	}
	for _, at := range files {
		if err := os.Remove(at); err != nil {
			return err
		}
	}
	over, err := d.place(ctx, d.job)
	if over && err == nil {
		err = d.bucket.remove(ctx, keys...)
	}
	return err
}

// gather fetches the results of all parts. Where some are not what their receipts say these are removed, so that the
// parts run again.
func (d *desk) gather(ctx context.Context) error {
	if err := os.MkdirAll(d.plan.Folder(), 0o777); err != nil {
		return err
	}
	var mutex sync.Mutex
	lost := map[int]error{}
	if err := several(ctx, d.plan.Parts(), func(ctx context.Context, part int) error {
		err := d.fetchResult(ctx, part)
		var changed *changedError
		if errors.As(err, &changed) || errors.Is(err, errNoObject) {
			mutex.Lock()
			defer mutex.Unlock()
			lost[part] = err
			return nil
		}
		return err
	}); err != nil || len(lost) == 0 {
		return err
	}
	missing := parts.MissingError{Parts: slices.Sorted(maps.Keys(lost)), Of: d.plan.Parts()}
	var receipts []string
	for _, part := range missing.Parts {
		keys := d.keys(part)
		receipts = append(receipts, keys[len(keys)-1])
	}
	if err := d.bucket.remove(ctx, receipts...); err != nil {
		return err
	}
	return final(fmt.Sprintf("%v; %v; submit the plan again, which runs them", lost[missing.Parts[0]], &missing))
}

// fetchResult fetches the results of a part and its receipt, unless they are here.
func (d *desk) fetchResult(ctx context.Context, part int) error {
	if d.plan.Receipt(part) != nil {
		return nil
	}
	keys, files := d.keys(part), d.plan.Files(part)
	last := len(keys) - 1
	var r parts.Receipt
	if err := d.bucket.getJSON(ctx, keys[last], &r); err != nil {
		return err
	}
	for k, result := range r.Results[:min(last, len(r.Results))] {
		if err := d.bucket.verified(ctx, file{Object: keys[k], SHA256: result.SHA256}, files[k]); err != nil {
			return err
		}
	}
	return writeJSON(files[last], r)
}

func writeJSON(path string, value any) error {
	text, err := json.Marshal(value)
	if err == nil {
		err = os.WriteFile(path, text, 0o666)
	}
	return err
}

// deliver puts the outputs into the bucket, and says in the record that they are there.
func (d *desk) deliver(ctx context.Context) error {
	r := d.said
	for _, o := range d.plan.Outputs {
		f, err := described(d.plan.Path(o.Path), o.Path, d.key(o.Path))
		if err == nil {
			err = d.bucket.put(ctx, f.Object, d.plan.Path(o.Path))
		}
		if err != nil {
			return err
		}
		r.Outputs = append(r.Outputs, f)
	}
	if err := d.bucket.putJSON(ctx, d.key(recordName), r); err != nil {
		return err
	}
	d.clear()
	return nil
}

// advance puts what a round gave into the bucket, and says in the record which one is the next.
func (d *desk) advance(ctx context.Context) error {
	next, err := parts.Open(d.path(planName))
	if err != nil {
		return err
	}
	r := d.said
	found, at, err := known(next, next, r.Files)
	if err != nil {
		return err
	}
	if err := several(ctx, len(found), func(ctx context.Context, i int) error {
		return d.bucket.put(ctx, found[i].Object, at[i])
	}); err != nil {
		return err
	}
	r.Files = append(r.Files, found...)
	if r.Plan, err = text(next); err != nil {
		return err
	}
	if err := d.bucket.putJSON(ctx, d.key(recordName), r); err != nil {
		return err
	}
	err = d.plan.Discard() // of the round that is over
	d.plan, d.said = next, r
	return err
}

// discard removes from the bucket what the parts of a round gave, and when all is merged what is left of all rounds.
// Objects are named, not looked for: to list a million of them takes longer.
func (d *desk) discard(ctx context.Context, round int) error {
	var keys []string
	ended := *d
	ended.plan = new(*d.plan)
	for ; round >= 0; round-- {
		ended.plan.Round = round
		for part := range d.plan.Parts() {
			keys = append(keys, ended.keys(part)...)
		}
		if d.said.Outputs == nil {
			return d.bucket.remove(ctx, keys...)
		}
	}
	for _, f := range d.said.Files {
		if !strings.HasPrefix(f.Object, objects) { // what rounds gave
			keys = append(keys, f.Object)
		}
	}
	return d.bucket.remove(ctx, keys...)
}
