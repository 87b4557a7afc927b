package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/grove-graph/grove/parts"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
)

// How often progress is asked for, and said.
const (
	lookEvery = 2 * time.Second
	sayEvery  = 10 * time.Second
)

// watch tells on standard error how far the work on a plan has come.
type watch struct {
	server client.Client
	plan   *parts.Plan
	job    Job

	round int
	first int       // parts of the round that were done at the first look, -1: not known
	began time.Time // when that was
	said  time.Time // last
}

// look looks until the context ends.
func (w *watch) look(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(lookEvery):
		}
		line := w.line(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(w.said) >= sayEvery {
			w.said = time.Now()
			fmt.Fprintln(os.Stderr, "grove-cluster: "+line)
		}
	}
}

// progress adds up what the workflows say.
func (w *watch) progress(ctx context.Context) (Progress, error) {
	whole, err := w.ask(ctx, w.job.id())
	for _, id := range whole.Slices {
		slice, err := w.ask(ctx, id)
		if err != nil {
			continue // it has not begun, or is over
		}
		whole.Done += slice.Done
		whole.Failed += slice.Failed
	}
	return whole, err
}

func (w *watch) ask(ctx context.Context, workflow string) (p Progress, err error) {
	ctx, cancel := context.WithTimeout(ctx, sayEvery)
	defer cancel()
	said, err := w.server.QueryWorkflow(ctx, workflow, "", progressQuery)
	if err == nil {
		err = said.Get(&p)
	}
	return p, err
}

// line words the progress.
func (w *watch) line(ctx context.Context) string {
	workers := w.workers(ctx)
	switch {
	case workers < 0:
		return "the server does not answer; waiting for it"
	case workers == 0:
		return fmt.Sprintf("no worker is there yet: it is grove-cluster worker --queue %s, with grove %s",
			w.plan.Device, w.plan.Program)
	}
	p, err := w.progress(ctx)
	if err != nil {
		return fmt.Sprintf("%d parts; no worker answers", w.job.Parts)
	}
	if w.first < 0 || w.round != p.Round {
		w.round, w.first, w.began = p.Round, p.Done+p.Failed, time.Now()
	}
	of := ""
	if p.Round > 0 {
		of = fmt.Sprintf(" of round %d", p.Round)
	}
	if p.Merging {
		return fmt.Sprintf("all %d parts%s are done, merging", w.job.Parts, of)
	}
	text := fmt.Sprintf("%d of %d parts%s", p.Done, w.job.Parts, of)
	if p.Failed > 0 {
		text += fmt.Sprintf(", %d failed", p.Failed)
	}
	if passed := time.Since(w.began); p.Done+p.Failed > w.first && passed > time.Second {
		speed := float64(p.Done+p.Failed-w.first) / passed.Minutes()
		left := time.Duration(float64(w.job.Parts-p.Done-p.Failed) / speed * float64(time.Minute))
		text += fmt.Sprintf(", %.0f a minute, %s left", speed, max(left.Round(time.Second), time.Second))
	}
	return text
}

// workers returns how many wait for parts of the plan, -1 where the server does not say.
func (w *watch) workers(ctx context.Context) int {
	ctx, cancel := context.WithTimeout(ctx, sayEvery)
	defer cancel()
	found, err := w.server.DescribeTaskQueue(ctx, queue(w.plan.Device, w.plan.Program), enums.TASK_QUEUE_TYPE_ACTIVITY)
	if err != nil {
		return -1
	}
	return len(found.Pollers)
}
