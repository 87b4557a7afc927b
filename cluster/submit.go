package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/grove-graph/grove/parts"
	"github.com/spf13/cobra"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
)

func newSubmit() *cobra.Command {
	var address string
	var patience Patience
	var in bucketFlags
	c := &cobra.Command{
		Use:   "submit plan.json",
		Short: "Have the parts of a plan run, and merged",
		Long: `Have the parts of a plan run by the workers, and merged, and look on. Who submits a plan that is worked on
looks at that work: to leave (Ctrl-C) and to come back, from any machine, changes nothing. A plan that failed goes on
with the parts that are not done.

With --bucket the workers need no shared folder: what the plan needs is put into the bucket, but for what is there
already, and fetched from there, by SHA-256; what was merged comes from there to where the plan wants it.
Credentials are those of AWS's programs: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile.`,
		Example: `  grove-cluster submit plan.json --address 10.0.0.1:7233
  grove-cluster submit plan.json --address 10.0.0.1:7233 --bucket s3://molecules/tries
  grove-cluster submit plan.json --address 10.0.0.1:7233 --bucket s3://tries --endpoint http://10.0.0.1:9000`,
		Args: onePlan,
		RunE: func(c *cobra.Command, args []string) error {
			ctx := c.Context()
			plan, job, err := open(args[0], patience)
			if err != nil {
				return err
			}
			return submitted(ctx, plan, job, &in, func(job Job) error {
				server, err := dial(ctx, address)
				if err != nil {
					return err
				}
				defer server.Close()
				err = submit(ctx, server, plan, job)
				if ctx.Err() != nil {
					return fmt.Errorf("no longer looking; the work goes on (grove-cluster submit %s looks again, cancel ends it)",
						args[0])
				}
				return err
			})
		},
	}
	addAddress(c.Flags(), &address)
	patience.addFlags(c.Flags(), 30*time.Second)
	in.addFlags(c.Flags())
	return c
}

// submitted has a job done by do, where its files are in a bucket between putting there what it needs and fetching what
// came of it.
func submitted(ctx context.Context, plan *parts.Plan, job Job, in *bucketFlags, do func(job Job) error) error {
	if in.place == "" {
		return do(job)
	}
	d, err := openDeposit(in, plan, &job)
	if err != nil {
		return err
	}
	merged, err := d.push(ctx)
	if err == nil && !merged {
		err = do(job)
	}
	if err == nil {
		err = d.fetch(ctx)
	}
	if errors.Is(err, context.Canceled) {
		return errors.New("stopped; the same line goes on")
	}
	return err
}

func newCancel() *cobra.Command {
	var address string
	var in bucketFlags
	c := &cobra.Command{
		Use:   "cancel plan.json",
		Short: "End the work on a plan",
		Long:  `End the work on a plan: parts that run are interrupted, what is done is kept, and submit goes on with it.`,
		Example: `  grove-cluster cancel plan.json --address 10.0.0.1:7233
  grove-cluster cancel plan.json --address 10.0.0.1:7233 --bucket s3://molecules/tries`,
		Args: onePlan,
		RunE: func(c *cobra.Command, args []string) error {
			ctx := c.Context()
			plan, job, err := open(args[0], Patience{1, time.Minute, time.Hour})
			if err == nil && in.place != "" {
				_, err = openDeposit(&in, plan, &job)
			}
			if err != nil {
				return err
			}
			server, err := dial(ctx, address)
			if err != nil {
				return err
			}
			defer server.Close()
			err = server.CancelWorkflow(ctx, job.id(), "")
			var unknown *serviceerror.NotFound
			if errors.As(err, &unknown) {
				return fmt.Errorf("%s: nobody works on it at %s", args[0], address)
			}
			return err
		},
	}
	addAddress(c.Flags(), &address)
	in.addFlags(c.Flags())
	return c
}

// submit has a plan worked on, or finds the work on it, and looks on until it is done.
func submit(ctx context.Context, server client.Client, plan *parts.Plan, job Job) error {
	again := enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
	if !job.inBucket() && written(plan) {
		again = enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY
	}
	run, err := server.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: job.id(), TaskQueue: queue(plan.Device, plan.Program), WorkflowIDReusePolicy: again,
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}, Whole, job)
	if err != nil {
		return err
	}
	looking, stop := context.WithCancel(ctx)
	looked := make(chan struct{})
	go func() {
		defer close(looked)
		w := &watch{server: server, plan: plan, job: job, first: -1}
		w.look(looking)
	}()
	var said string
	err = run.Get(ctx, &said)
	stop()
	<-looked
	var cancelled *temporal.CanceledError
	switch {
	case errors.As(err, &cancelled):
		return fmt.Errorf("%s: the work was cancelled; what is done is kept", job.Plan)
	case err != nil:
		return errors.New(reason(err))
	}
	if !job.inBucket() {
		fmt.Print(said)
	}
	return nil
}

// written reports whether all outputs of a plan are there.
func written(plan *parts.Plan) bool {
	for _, o := range plan.Outputs {
		if _, err := os.Stat(plan.Path(o.Path)); err != nil {
			return false
		}
	}
	return true
}
