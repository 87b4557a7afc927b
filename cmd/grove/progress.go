package main

import (
	"fmt"
	"io"
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
)

// progress tells how far long work has come: a bar on a terminal, plain lines now and then elsewhere,
// nothing with --quiet. It is safe for concurrent use.
type progress struct {
	out      io.Writer
	terminal bool
	quiet    bool
	now      func() time.Time

	mu      sync.Mutex
	stage   string    // what follows a comma in its name may change while it runs
	began   time.Time // of the stage
	shown   time.Time // last time that something was written
	visible bool      // there is a bar on the screen
	over    bool      // no more progress is shown
}

func newProgress(out io.Writer) *progress {
	p := &progress{out: out, now: time.Now}
	if f, ok := out.(*os.File); ok {
		info, err := f.Stat()
		p.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
	}
	p.shown = p.now()
	return p
}

// report says that done of total pieces of a stage are ready.
func (p *progress) report(stage string, done, total int) {
	p.amount(stage, float64(done), float64(total), func() string { return fmt.Sprintf("%d of %d", done, total) })
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
	if name, _, _ := strings.Cut(stage, ","); p.stage != name {
		p.stage, p.began = name, now
	}
	share := 0.0
	if total > 0 {
		share = min(max(done/total, 0), 1)
	}
	left := remaining(now.Sub(p.began), share)
	switch since := now.Sub(p.shown); {
	case p.terminal && (since >= barInterval && p.visible || since >= barDelay):
		p.shown, p.visible = now, true
		fmt.Fprintf(p.out, "\r\x1b[K%s %s %s%s", stage, bar(share, 24), words(), left)
	case !p.terminal && since >= lineInterval:
		p.shown = now
		fmt.Fprintf(p.out, "grove: %s: %s%s\n", stage, words(), left)
	}
}

// remaining estimates the time left from the share that is done.
func remaining(elapsed time.Duration, share float64) string {
	if elapsed < time.Second || share <= 0 || share >= 1 {
		return ""
	}
	left := time.Duration(float64(elapsed) * (1 - share) / share).Round(time.Second)
	return fmt.Sprintf(", %s left", max(left, time.Second))
}

// bar draws a share as a bar of the given width.
func bar(share float64, width int) string {
	full := int(share*float64(width) + 0.5)
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}

// say writes a line, also with --quiet, and leaves no bar on its screen row.
func (p *progress) say(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wipe()
	fmt.Fprintln(p.out, line)
}

// finish is say for a line after which no more progress is shown.
func (p *progress) finish(line string) {
	p.mu.Lock()
	p.over = true
	p.mu.Unlock()
	p.say(line)
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
