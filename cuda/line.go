//go:build gpu

package cuda

import (
	"slices"
	"time"
)

// line holds the jobs of a lane in their order. All but the sending of jobs is the thread's.
type line struct {
	jobs     chan *job
	head     *job // the next one
	expected bool // to bring a recorded submission soon: it is new, or has brought one, and no other kernels since
	ended    bool
}

func newLine() *line { return &line{jobs: make(chan *job, queued), expected: true} }

// Recorded work of a lane waits for that of lanes which are likely to bring some as long as it took from the last such
// work to this, within two bounds; and once, for after that who is late is not expected.
const patience, mostPatience = 2 * time.Millisecond, 50 * time.Millisecond

// take takes the first job out of its line.
func (l *line) take() *job {
	j := l.head
	l.head = nil
	return j
}

// look finds the first job of a line, if there is one.
func (l *line) look() {
	if l.head != nil {
		return
	}
	select {
	case j, ok := <-l.jobs:
		l.head, l.ended = j, !ok
	default:
	}
}

// next returns lines whose first jobs are to be done now, or false where the thread has to end: a line whose first job
// need not wait for others, or all lines with recorded work.
func (t *thread) next() (ready []*line, ok bool) {
	if len(t.lines) == 1 {
		return t.lines, t.single(t.lines[0])
	}
	for round := 0; ; round++ {
		missing := 0
		ready = ready[:0]
		for _, l := range t.lines {
			switch l.look(); {
			case l.ended:
				return nil, false
			case l.head == nil:
				if l.expected {
					missing++
				}
			case l.head.work == nil || !l.head.work.recorded:
				return []*line{l}, true
			default:
				ready = append(ready, l)
			}
		}
		switch {
		case len(ready) == 0:
		case missing == 0:
			t.since, t.before = time.Time{}, time.Now()
			return ready, true
		case t.since.IsZero():
			t.since = time.Now()
			t.wait = max(t.patience, min(t.since.Sub(t.before), mostPatience))
		case time.Since(t.since) > t.wait:
			for _, l := range t.lines {
				l.expected = l.expected && l.head != nil
			}
		}
		if round < t.spin {
			continue
		}
		var late <-chan time.Time
		if len(ready) > 0 {
			late = time.After(t.wait)
		}
		select {
		case <-t.posted:
			round = 0
		case <-late:
		}
	}
}

// single waits for the first job of the only line; false means that it has ended.
func (t *thread) single(l *line) bool {
	for range t.spin {
		if l.look(); l.head != nil || l.ended {
			return !l.ended
		}
	}
	var ok bool
	l.head, ok = <-l.jobs
	return ok
}

// launches reports whether there are kernels in a submission.
func (s *submission) launches() bool {
	return slices.ContainsFunc(s.entries, func(n entry) bool { return n.kind == launching })
}

// perform performs the submissions of the first jobs of lines; those of equal sequences together.
func (t *thread) perform(ready []*line) {
	for i, l := range ready {
		j := l.head
		if j.work == nil {
			continue
		}
		if j.work.recorded || j.work.launches() {
			l.expected = j.work.recorded
		}
		parts := []laneWork{{j.of, j.work}}
		for _, other := range ready[i+1:] {
			if k := other.head; k.work != nil && alike(j.work, k.work) {
				other.expected = true
				parts, k.work = append(parts, laneWork{k.of, k.work}), nil
			}
		}
		j.work = nil
		submit(parts)
	}
}
