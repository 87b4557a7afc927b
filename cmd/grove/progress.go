package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"time"
)

// How often progress is shown: a bar moves, a plain line is added.
const (
	barInterval  = 100 * time.Millisecond
	barDelay     = 300 * time.Millisecond // short work shows nothing
	lineInterval = 5 * time.Second
	longWork     = 10 * time.Second // is announced
)

// progress tells how far long work has come: a bar on a terminal, plain lines now and then elsewhere,
// nothing with --quiet. It is safe for concurrent use.
type progress struct {
	out      io.Writer
	terminal bool
	quiet    bool
	now      func() time.Time

	mu      sync.Mutex
	started time.Time // of the command
	said    bool      // how long the work is
	repeats bool      // stages are no measure of the work: they repeat
	stage   string    // what follows a comma in its name may change while it runs
	began   time.Time // of the stage
	from    float64   // share that was done then
	share   float64   // that is done now
	shown   time.Time // last time that something was written
	visible bool      // there is a bar on the screen
	over    bool      // no more progress is shown
	ended   bool      // the last line was written
}

func newProgress(out io.Writer) *progress {
	p := &progress{out: out, now: time.Now}
	if f, ok := out.(*os.File); ok {
		info, err := f.Stat()
		p.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
	}
	p.shown, p.started = p.now(), p.now()
	return p
}

// forecast says once how long the work is in all, where that is long, by the time that is left of it.
func (p *progress) forecast(left time.Duration, what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.foretell(left, what)
}

func (p *progress) foretell(left time.Duration, what string) {
	total := p.now().Sub(p.started) + left
	if p.quiet || p.said || total < longWork {
		return
	}
	p.said = true
	p.wipe()
	fmt.Fprintf(p.out, "grove: about %s of work (%s); Ctrl-C stops it\n", roughly(total), what)
}

// roughly writes a duration without false precision.
func roughly(d time.Duration) string {
	switch {
	case d < 90*time.Second:
		return fmt.Sprintf("%.0f s", 5*math.Round(d.Seconds()/5))
	case d < 90*time.Minute:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}

// report says that done of total pieces of a stage are ready.
func (p *progress) report(stage string, done, total int) {
	p.amount(stage, float64(done), float64(total), func() string { return fmt.Sprintf("%d of %d", done, total) })
	p.mu.Lock()
	defer p.mu.Unlock()
	if left := p.left(); left > 0 && !p.repeats {
		p.foretell(left, p.stage)
	}
}

// bytes is report for a download, whose size may be unknown (-1).
func (p *progress) bytes(stage string, done, total int64) {
	p.amount(stage, float64(done), float64(total), func() string {
		if total < 0 {
			return megabytes(done)
		}
		return megabytes(done) + " of " + megabytes(total)
	})
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

func (p *progress) amount(stage string, done, total float64, words func() string) {
	if p.quiet {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	now := p.now()
	share := 0.0
	if total > 0 {
		share = min(max(done/total, 0), 1)
	}
	if name, _, _ := strings.Cut(stage, ","); p.stage != name || share < p.from {
		p.stage, p.began, p.from = name, now, share
	}
	p.share = share
	left := ""
	if d := p.left(); d > 0 {
		left = fmt.Sprintf(", %s left", max(d.Round(time.Second), time.Second))
	}
	switch since := now.Sub(p.shown); {
	case p.terminal && (since >= barInterval && p.visible || since >= barDelay):
		p.shown, p.visible = now, true
		fmt.Fprintf(p.out, "\r\x1b[K%s %s %s%s", stage, bar(share, 24), words(), left)
	case !p.terminal && since >= lineInterval:
		p.shown = now
		fmt.Fprintf(p.out, "grove: %s: %s%s\n", stage, words(), left)
	}
}

// left estimates the time that is left of the stage from what was done since its beginning; 0: not known.
func (p *progress) left() time.Duration {
	elapsed := p.now().Sub(p.began)
	if elapsed < time.Second || p.share <= p.from || p.share >= 1 {
		return 0
	}
	return time.Duration(float64(elapsed) * (1 - p.share) / (p.share - p.from))
}

// bar draws a share as a bar of the given width.
func bar(share float64, width int) string {
	full := int(share*float64(width) + 0.5)
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}

// finish writes a line after which no more progress is shown, also with --quiet, and leaves no bar on its screen row.
// After the last one it writes no more: the work and the signal that ends it may finish at the same time.
func (p *progress) finish(line string, last bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.over, p.ended = true, last
	p.wipe()
	fmt.Fprintln(p.out, line)
}

// clear takes the bar off the screen.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wipe()
}

func (p *progress) wipe() {
	if p.visible {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.visible = false
		p.shown = p.now()
	}
}
