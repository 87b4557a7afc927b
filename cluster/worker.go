package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
)

// addAddress adds the flag of where the server is.
func addAddress(fs *pflag.FlagSet, address *string) {
	fs.StringVar(address, "address", "127.0.0.1:7233", "`HOST:PORT` of the server")
}

func addCache(fs *pflag.FlagSet, cache *string) {
	fs.StringVar(cache, "cache", "",
		"`DIR` for what was fetched from buckets (default: grove-cluster in the user's cache)")
}

// dial connects to a server.
func dial(ctx context.Context, address string) (client.Client, error) {
	quiet := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	c, err := client.DialContext(ctx, client.Options{
		HostPort: address, Namespace: namespace, Logger: log.NewStructuredLogger(quiet),
	})
	if err != nil {
		return nil, fmt.Errorf("--address %s: no server answers (grove-cluster server runs one): %w", address, err)
	}
	return c, nil
}

// workerFlags are the flags of a worker.
type workerFlags struct {
	kind, address, grove, device, endpoint, cache string
	threads                                       int
}

func newWorker() *cobra.Command {
	f := &workerFlags{}
	c := &cobra.Command{
		Use:   "worker --queue cpu|cuda",
		Short: "Run parts, one after another",
		Long: `Run parts of whatever plans are submitted for this kind of device and this build of grove, one at a time,
those of one plan by one process (grove run-part). A machine may have several workers, with some threads
each, or one for each GPU. Ctrl-C ends a worker at once; its part runs elsewhere.

Of a plan in a bucket a worker fetches what its parts read, once for all workers of the machine, into a folder
(--cache). What nobody wanted for a week is removed from there; so may all of it be while no worker runs.`,
		Example: `  grove-cluster worker --queue cpu --address 10.0.0.1:7233
  grove-cluster worker --queue cpu --address 10.0.0.1:7233 --endpoint http://10.0.0.1:9000 --cache /scratch/grove
  grove-cluster worker --queue cuda --device cuda:1 --address 10.0.0.1:7233`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return work(c.Context(), f) },
	}
	fs := c.Flags()
	fs.StringVar(&f.kind, "queue", "", "`KIND` of device that this worker computes on: cpu or cuda")
	addAddress(fs, &f.address)
	fs.StringVar(&f.grove, "grove", "", "`FILE` command of grove (default: the one beside this program, or on the PATH)")
	fs.StringVar(&f.device, "device", "", "`DEVICE` that computes, as cuda:1 (default: any of the kind)")
	fs.IntVar(&f.threads, "threads", 0, "`N` threads of a part, 0: one for every CPU; results do not depend on it")
	addEndpoint(fs, &f.endpoint)
	addCache(fs, &f.cache)
	return c
}

// work runs parts until the context ends.
func work(ctx context.Context, f *workerFlags) error {
	if f.kind != "cpu" && f.kind != "cuda" {
		return usagef("--queue %s: want cpu or cuda", f.kind)
	}
	m, err := newMachine(f.grove)
	if err != nil {
		return err
	}
	m.threads, m.device = f.threads, f.device
	if m.desk, err = newDesk(f.cache, f.endpoint); err != nil {
		return err
	}
	c, err := dial(ctx, f.address)
	if err != nil {
		return err
	}
	defer c.Close()
	defer m.close()                     // after the workers are stopped
	failed := make(chan error, 2)       // of two workers of Temporal
	worker.SetBinaryChecksum(m.program) // which would be computed, of 200 MB
	options := worker.Options{
		MaxConcurrentActivityExecutionSize: 1,
		MaxConcurrentActivityTaskPollers:   1,
		WorkerStopTimeout:                  2 * grace,
		MaxHeartbeatThrottleInterval:       10 * time.Second, // by which a cancelled part learns of it
		OnFatalError:                       func(err error) { failed <- err },
	}
	parts := queue(f.kind, m.program)
	w := worker.New(c, parts, options)
	w.RegisterWorkflow(Whole)
	w.RegisterWorkflow(Slice)
	w.RegisterActivity(m)
	options.DisableWorkflowWorker = true
	merges := worker.New(c, mergeQueue(parts), options)
	merges.RegisterActivity(m)
	for _, each := range []worker.Worker{w, merges} {
		if err := each.Start(); err != nil {
			return fmt.Errorf("--address %s: %w", f.address, err)
		}
		defer each.Stop()
	}
	fmt.Fprintf(os.Stderr, "grove-cluster: working for %s on %s, grove %s; Ctrl-C stops it\n",
		f.address, f.kind, m.program)
	select {
	case err = <-failed:
		err = fmt.Errorf("--address %s: %w", f.address, err)
	case <-ctx.Done():
	}
	return err
}
