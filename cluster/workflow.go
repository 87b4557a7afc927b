package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/grove-graph/grove/parts"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// A plan is worked on in slices, each a workflow of its own, so that no history grows beyond some thousands of events:
// three for a part and as many for a decision in a slice, the same for a slice in the whole. Of the slices some are
// under way at a time, so that the server holds so many parts that wait and not a million.
const (
	sliceParts   = 1000
	slicesAtOnce = 8
)

// progressQuery asks [Whole] and [Slice] how far they are.
const progressQuery = "progress"

// Progress says how far a plan, or a slice of it, has come.
type Progress struct {
	Done, Failed int      // parts
	Slices       []string // workflows under way, whose parts come on top
	Merging      bool
	Round        int // of a training, from 1
}

// Failures are parts that failed as often as they may.
type Failures struct {
	Parts []int
	Why   string // the first did
}

func (f *Failures) add(other Failures) {
	if len(f.Parts) == 0 {
		f.Why = other.Why
	}
	f.Parts = append(f.Parts, other.Parts...)
}

// refusal is the type of an error that no other try would change, and that meets every part of a plan.
const refusal = "refusal"

func refused(why string) error { return temporal.NewNonRetryableApplicationError(why, refusal, nil) }

// final returns an error that no other try of the same activity would change.
func final(why string) error { return temporal.NewNonRetryableApplicationError(why, "failure", nil) }

func isRefusal(err error) bool {
	var e *temporal.ApplicationError
	return errors.As(err, &e) && e.Type() == refusal
}

// Whole is the workflow of a plan: all parts, and beside them the merge; and where that gave another round, the same
// again. It returns what the last merge said.
func Whole(ctx workflow.Context, job Job) (string, error) {
	state := Progress{Round: job.Round}
	err := workflow.SetQueryHandler(ctx, progressQuery, func() (Progress, error) { return state, nil })
	if err != nil {
		return "", err
	}
	patient := withPatience(ctx, job)
	merging, giveUp := mergeMeanwhile(patient, job)
	defer giveUp()
	failed, err := everySlice(ctx, job, &state)
	if err != nil {
		return "", err
	}
	if len(failed.Parts) > 0 {
		slices.Sort(failed.Parts)
		missing := parts.MissingError{Parts: failed.Parts, Of: job.Parts}
		return "", final(fmt.Sprintf(
			"%d of %d parts failed: %s (%s); the others are kept: submit the plan again when the cause is gone",
			len(failed.Parts), job.Parts, missing.Ranges(), failed.Why))
	}
	state.Merging = true
	var m *Machine
	if merging == nil {
		merging = workflow.ExecuteActivity(patient, m.Merge, job)
	} else if over, err := workflow.AwaitWithTimeout(ctx, job.Limit, merging.IsReady); !over && err == nil {
		return "", final("the merge took longer than it may (--limit)")
	}
	var merged Merged
	if err := merging.Get(ctx, &merged); err != nil {
		return "", err
	}
	if err := workflow.ExecuteActivity(patient, m.Discard, job).Get(ctx, nil); err != nil {
		return "", err
	}
	if merged.Again {
		job.Round++
		return "", workflow.NewContinueAsNewError(ctx, Whole, job)
	}
	return merged.Said, nil
}

// mergeMeanwhile begins to merge a plan whose parts come into a shared folder; in a bucket nothing is looked at before
// all are there, and the merge is nil. To give up ends it, and waits for that.
func mergeMeanwhile(ctx workflow.Context, job Job) (merging workflow.Future, giveUp func()) {
	if job.inBucket() {
		return nil, func() {}
	}
	options := workflow.GetActivityOptions(ctx)
	options.TaskQueue = mergeQueue(workflow.GetInfo(ctx).TaskQueueName)
	options.StartToCloseTimeout = 0 // it waits for the parts, however long they take
	options.ScheduleToCloseTimeout = aYear
	ctx, cancel := workflow.WithCancel(workflow.WithActivityOptions(ctx, options))
	var m *Machine
	merging = workflow.ExecuteActivity(ctx, m.Merge, job)
	return merging, func() {
		if merging.IsReady() {
			return
		}
		cancel()
		patient, _ := workflow.NewDisconnectedContext(ctx)
		_ = merging.Get(patient, nil)
	}
}

const aYear = 365 * 24 * time.Hour

// everySlice runs all slices, some at a time. The first that is refused ends the others.
func everySlice(ctx workflow.Context, job Job, state *Progress) (failed Failures, err error) {
	ctx, cancel := workflow.WithCancel(ctx)
	defer cancel()
	slots, all := workflow.NewSemaphore(ctx, slicesAtOnce), workflow.NewWaitGroup(ctx)
	for from := 0; from < job.Parts && ctx.Err() == nil; from += sliceParts {
		if slots.Acquire(ctx, 1) != nil {
			break
		}
		all.Add(1)
		to, id := min(from+sliceParts, job.Parts), fmt.Sprintf("%s-%d-%d", job.id(), job.Round, from)
		state.Slices = append(state.Slices, id)
		workflow.Go(ctx, func(ctx workflow.Context) {
			defer all.Done()
			defer slots.Release(1)
			ctx = workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
				WorkflowID: id, WaitForCancellation: true, ParentClosePolicy: enums.PARENT_CLOSE_POLICY_REQUEST_CANCEL,
			})
			var f Failures
			e := workflow.ExecuteChildWorkflow(ctx, Slice, job, from, to).Get(ctx, &f)
			state.Slices = slices.DeleteFunc(state.Slices, func(s string) bool { return s == id })
			if e != nil {
				if err == nil || isRefusal(e) {
					err = e
				}
				cancel()
				return
			}
			state.Done += to - from - len(f.Parts)
			state.Failed += len(f.Parts)
			failed.add(f)
		})
	}
	all.Wait(ctx)
	if err == nil {
		err = ctx.Err()
	}
	return failed, err
}

// Slice is the workflow of the parts from one to the one before another. It returns those that failed; where one is
// refused, as all others would be, it ends.
func Slice(ctx workflow.Context, job Job, from, to int) (failed Failures, err error) {
	var state Progress
	err = workflow.SetQueryHandler(ctx, progressQuery, func() (Progress, error) { return state, nil })
	if err != nil {
		return failed, err
	}
	ctx, cancel := workflow.WithCancel(withPatience(ctx, job))
	defer cancel()
	all := workflow.NewWaitGroup(ctx)
	var m *Machine
	for part := from; part < to; part++ {
		all.Add(1)
		done := workflow.ExecuteActivity(ctx, m.Part, job, part)
		workflow.Go(ctx, func(ctx workflow.Context) {
			defer all.Done()
			switch e := done.Get(ctx, nil); {
			case e == nil:
				state.Done++
			case isRefusal(e) && err == nil:
				err = e
				cancel()
			case !temporal.IsCanceledError(e):
				state.Failed++
				failed.add(Failures{[]int{part}, fmt.Sprintf("part %d: %s", part, reason(e))})
			}
		})
	}
	all.Wait(ctx)
	if err == nil {
		err = ctx.Err()
	}
	return failed, err
}

// withPatience says how activities of a job are tried.
func withPatience(ctx workflow.Context, job Job) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: job.Limit,
		HeartbeatTimeout:    job.Heartbeat,
		WaitForCancellation: true,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, MaximumInterval: time.Minute, MaximumAttempts: int32(job.Attempts),
		},
	})
}

// reason says in a line why an activity or a workflow failed.
func reason(err error) string {
	var (
		said    *temporal.ApplicationError
		timeout *temporal.TimeoutError
	)
	switch {
	case errors.As(err, &timeout) && timeout.TimeoutType() == enums.TIMEOUT_TYPE_HEARTBEAT:
		return "its workers fell silent"
	case errors.As(err, &timeout):
		return "it took longer than it may (--limit)"
	case errors.As(err, &said):
		return said.Message()
	}
	return err.Error()
}
