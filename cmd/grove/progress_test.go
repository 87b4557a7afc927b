package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// clocked returns a progress that writes to a buffer by a clock that the test moves.
func clocked(terminal bool) (*progress, *bytes.Buffer, *time.Time) {
	var out bytes.Buffer
	now := time.Unix(0, 0)
	p := newProgress(&out)
	p.terminal, p.now, p.shown, p.started = terminal, func() time.Time { return now }, now, now
	return p, &out, &now
}

func TestProgressIsOneLineOnATerminal(t *testing.T) {
	p, out, now := clocked(true)
	p.repeats = true
	p.report("encode", 0, 100)
	if out.Len() > 0 {
		t.Errorf("short work shows nothing, here is %q", out)
	}
	for done := 10; done <= 50; done += 10 {
		*now = now.Add(2 * time.Second)
		p.report("encode", done, 100)
	}
	text := out.String()
	if strings.Contains(text, "\n") || !strings.Contains(text, "50 of 100") || !strings.Contains(text, "10s left") {
		t.Errorf("the bar after half of the work: %q", text)
	}
	p.clear()
	if !strings.HasSuffix(out.String(), "\r\x1b[K") {
		t.Errorf("the bar is not taken away: %q", out)
	}
}

func TestProgressIsPlainLinesElsewhere(t *testing.T) {
	p, out, now := clocked(false)
	p.repeats = true
	for done := range 100 {
		p.report("encode", done, 100)
		*now = now.Add(time.Second / 2)
	}
	p.clear()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) < 5 || len(lines) > 10 {
		t.Errorf("%d lines in 50 seconds, want one every 5 seconds or so: %q", len(lines), lines)
	}
	for _, line := range lines {
		if !strings.HasPrefix(line, "grove: encode: ") || strings.ContainsAny(line, "\r\x1b█") {
			t.Errorf("not a plain line: %q", line)
		}
	}
}

func TestQuietShowsNoProgress(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		p, out, now := clocked(terminal)
		p.quiet = true
		p.report("encode", 1, 2)
		*now = now.Add(time.Minute)
		p.report("encode", 2, 2)
		p.clear()
		if out.Len() > 0 {
			t.Errorf("--quiet writes %q", out)
		}
	}
}

func TestLongWorkIsAnnouncedOnce(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		for _, c := range []struct {
			left time.Duration
			want string
		}{
			{4 * time.Second, ""},
			{23 * time.Second, "grove: about 25 s of work (10 folds x 12 settings); Ctrl-C stops it\n"},
			{170 * time.Second, "grove: about 3 min of work (10 folds x 12 settings); Ctrl-C stops it\n"},
			{5 * time.Hour, "grove: about 5 h of work (10 folds x 12 settings); Ctrl-C stops it\n"},
		} {
			p, out, now := clocked(terminal)
			*now = now.Add(2 * time.Second)
			p.forecast(c.left, "10 folds x 12 settings")
			p.forecast(c.left, "10 folds x 12 settings")
			if out.String() != c.want {
				t.Errorf("terminal %v, %v left: %q, want %q", terminal, c.left, out, c.want)
			}
			p, out, _ = clocked(terminal)
			p.quiet = true
			if p.forecast(c.left, "10 folds"); out.Len() > 0 {
				t.Errorf("--quiet writes %q", out)
			}
		}
	}
}

// A stage of its own is announced by how far it comes, one that is a part of more is not.
func TestLongStagesAreAnnounced(t *testing.T) {
	for _, repeats := range []bool{false, true} {
		p, out, now := clocked(false)
		p.repeats = repeats
		for done := range 3 {
			p.report("encode", done, 60)
			*now = now.Add(time.Second)
		}
		want := "grove: about 60 s of work (encode); Ctrl-C stops it\n"
		if repeats {
			want = ""
		}
		if out.String() != want {
			t.Errorf("repeats %v: %q, want %q", repeats, out, want)
		}
	}
}
