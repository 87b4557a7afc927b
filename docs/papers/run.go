package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// run measures cells, one after another. What is kept is not measured again, unless again says so. A command that
// fails, or takes longer than the limit, does not keep the others from being run.
func (p *place) run(ctx context.Context, w io.Writer, chosen []selection, again bool, limit time.Duration) error {
	if p.data == "" {
		return errors.New("nothing says where the data are: set GROVE_DATA, or give --data DIR")
	}
	revision, err := p.revision(ctx)
	if err != nil {
		return err
	}
	failed := 0
	for _, s := range chosen {
		for _, c := range s.cells {
			for i := range c.jobs {
				k, err := p.read(s.paper, c)
				if err != nil {
					return err
				}
				j := &c.jobs[i]
				old := k.of(c).run(j.run)
				if old != nil && !again {
					continue
				}
				var r *record
				if !again {
					if r, err = p.find(s.paper, j); err != nil {
						return err
					}
				}
				if r == nil {
					r, err = p.measure(ctx, s.paper, c, j, revision, limit)
				}
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if err != nil {
					fmt.Fprintf(w, "%s %s %s: %v\n", s.paper.name, c.name, j.run, err)
					failed++
					continue
				}
				if old == nil || !r.same(old) {
					if err := p.keep(s.paper, c, r); err != nil {
						return err
					}
				}
				fmt.Fprintf(w, "%s %s %s: %.2f ± %.2f, %.0f s%s\n", s.paper.name, c.name, j.run, r.Mean, r.Std, r.Seconds,
					compared(r, old))
			}
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d commands failed or were ended", failed)
	}
	return nil
}

// find returns the record of a job by its command, whichever cell of the paper it was run for, nil for none: curves of
// a figure meet in a setting.
func (p *place) find(of *paper, j *job) (*record, error) {
	for _, c := range of.all() {
		k, err := p.read(of, c)
		if err != nil {
			return nil, err
		}
		for _, r := range k.of(c) {
			if r.Command == j.command {
				r.Run = j.run
				return &r, nil
			}
		}
	}
	return nil, nil
}

// compared says how a record relates to the one that was kept.
func compared(r, old *record) string {
	switch {
	case old == nil:
		return ""
	case r.same(old):
		return ", the same as kept"
	}
	return fmt.Sprintf(", kept were %.2f ± %.2f", old.Mean, old.Std)
}

// measure runs the command of a job. What it has measured when it is stopped is kept beside the program until then.
func (p *place) measure(
	ctx context.Context, of *paper, c *cell, j *job, revision string, limit time.Duration,
) (*record, error) {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, fmt.Errorf("ended after %v", limit))
		defer cancel()
	}
	if c.prepare != "" {
		if _, err := p.execute(ctx, c.prepare); err != nil {
			return nil, err
		}
	}
	checkpoint := filepath.Join(filepath.Dir(p.grove), fmt.Sprintf("%s-%s-%s.state", of.name, c.name, j.run))
	out, err := p.execute(ctx, j.command+" --workers 1 --json", "--checkpoint", checkpoint)
	if err != nil {
		return nil, err
	}
	var s said
	if err := json.Unmarshal(out, &s); err != nil {
		return nil, fmt.Errorf("%s: %w", j.command, err)
	}
	return s.record(j, time.Now().UTC().Format(time.DateOnly), revision), nil
}

// execute runs a line that starts with "grove", with more arguments behind it, and returns what it writes. On a
// terminal its progress is shown.
func (p *place) execute(ctx context.Context, line string, more ...string) ([]byte, error) {
	args := append(strings.Fields(strings.ReplaceAll(line, "$GROVE_DATA", p.data)), more...)
	cmd := exec.CommandContext(ctx, p.grove, args[1:]...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if p.terminal {
		cmd.Stderr = os.Stderr
		fmt.Fprintln(cmd.Stderr, line)
	} else {
		cmd.Args = append(cmd.Args, "--quiet")
	}
	if err := cmd.Run(); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		return nil, fmt.Errorf("%s: %w: %s", line, err, strings.TrimSpace(said.String()))
	}
	return out.Bytes(), nil
}

// revision is that of the command line.
func (p *place) revision(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, p.grove, "version", "--json").Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w (make build makes it)", p.grove, err)
	}
	var v struct {
		Revision string `json:"revision"`
	}
	if err := json.Unmarshal(out, &v); err != nil {
		return "", err
	}
	return v.Revision[:min(len(v.Revision), 12)], nil
}

// list writes cells and their commands.
func (p *place) list(w io.Writer, chosen []selection) error {
	for _, s := range chosen {
		for _, c := range s.cells {
			k, err := p.read(s.paper, c)
			if err != nil {
				return err
			}
			for i := range c.jobs {
				j := &c.jobs[i]
				state := "not run"
				if r := k.of(c).run(j.run); r != nil {
					state = fmt.Sprintf("%.1f", r.Mean)
				}
				fmt.Fprintf(w, "%s %s %s (%s): %s\n", s.paper.name, c.name, j.run, state, j.command)
			}
		}
	}
	return nil
}

// draw runs the commands of figures that are made by commands.
func (p *place) draw(ctx context.Context, w io.Writer, papers []*paper, names []string) error {
	for _, of := range papers {
		if len(names) > 0 && of.name != names[0] {
			continue
		}
		for f := range of.figures {
			fig := &of.figures[f]
			if len(fig.commands) == 0 || len(names) > 1 && fig.name != names[1] {
				continue
			}
			for _, line := range fig.commands {
				if _, err := p.execute(ctx, line); err != nil {
					return err
				}
			}
			fmt.Fprintf(w, "%s %s\n", of.name, fig.name)
		}
	}
	return nil
}
