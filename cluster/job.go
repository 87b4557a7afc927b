package main

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"time"

	"github.com/grove-graph/grove/parts"
	"github.com/spf13/pflag"
)

// Job is what travels: a path and a digest, and how patient to be. It is the argument of every workflow and activity.
type Job struct {
	Plan         string // path of the file, the same on every machine; s3://BUCKET/PREFIX/plans/ID in a bucket
	Bucket       string // s3://BUCKET/PREFIX, "": all files are in a shared folder
	Digest       string // of what is planned, the same in all rounds
	Parts        int
	Round        int    // of a training, from 1
	Instructions string // of the processor, which the bits follow from
	Patience
}

// Patience says when a part is given up.
type Patience struct {
	Attempts  int           // of a part
	Heartbeat time.Duration // after so long without a word from its worker a part runs elsewhere
	Limit     time.Duration // of the time of a part
}

func (p *Patience) addFlags(fs *pflag.FlagSet, heartbeat time.Duration) {
	fs.IntVar(&p.Attempts, "attempts", 5, "`N` times that a part is tried")
	fs.DurationVar(&p.Heartbeat, "heartbeat", heartbeat, "`TIME` of silence after which a part runs elsewhere")
	fs.DurationVar(&p.Limit, "limit", 24*time.Hour, "`TIME` that a part may take before it runs elsewhere")
}

func (p *Patience) check() error {
	switch {
	case p.Attempts < 1:
		return usagef("--attempts %d: want 1 or more", p.Attempts)
	case p.Heartbeat < time.Second:
		return usagef("--heartbeat %s: want 1s or more", p.Heartbeat)
	case p.Limit < p.Heartbeat:
		return usagef("--limit %s: want more than the heartbeat, %s", p.Limit, p.Heartbeat)
	}
	return nil
}

// inBucket reports whether the files of the plan are in a bucket.
func (j *Job) inBucket() bool { return j.Bucket != "" }

// open reads a plan and makes it a job.
func open(path string, p Patience) (*parts.Plan, Job, error) {
	if err := p.check(); err != nil {
		return nil, Job{}, err
	}
	plan, err := parts.Open(path)
	if err != nil {
		return nil, Job{}, err
	}
	job := Job{Parts: plan.Parts(), Round: plan.Round, Instructions: plan.Instructions, Patience: p}
	if job.Plan, err = filepath.Abs(path); err == nil {
		job.Digest, err = plan.Identity()
	}
	return plan, job, err
}

// id names the work on a plan, so that who submits it again finds what runs. The path is part of it: the same plan in
// another folder has other outputs.
func (j *Job) id() string {
	return fmt.Sprintf("grove-%.16x", sha256.Sum256([]byte(j.Digest+j.Plan)))
}

// queue is where workers of a kind of device and a build of grove wait. Others never see these parts.
func queue(device, program string) string { return fmt.Sprintf("%s, grove %s", device, program) }

// mergeQueue is where the same workers wait for plans to merge while they compute parts.
func mergeQueue(parts string) string { return parts + ", merging" }

// open reads the plan, which is the one that was submitted, and reports whether its round is over: another worker has
// put it together while this one was taken for dead.
func (j *Job) open() (plan *parts.Plan, over bool, err error) {
	if plan, err = parts.Open(j.Plan); err != nil {
		return nil, false, err
	}
	digest, err := plan.Identity()
	switch {
	case err != nil:
	case digest != j.Digest:
		err = refused(fmt.Sprintf("%s: it has changed since it was submitted; submit it again", j.Plan))
	case plan.Round < j.Round:
		err = fmt.Errorf("%s: its round %d is not here yet", j.Plan, j.Round)
	}
	return plan, err == nil && plan.Round > j.Round, err
}
