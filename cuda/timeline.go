//go:build gpu

package cuda

import (
	"sync/atomic"

	"gorgonia.org/cu"
)

// timeline is a stream with numbered work: that of a submission has its number. It remembers events at some numbers,
// so that the host and other streams can ask for or wait for any earlier work that is enqueued. All methods but reached
// run on the context's thread.
type timeline struct {
	stream  cu.Stream
	queued  uint64        // work up to this number is enqueued
	done    atomic.Uint64 // all work up to this number is known to be over
	marks   []mark        // ascending, above done
	spare   []cu.Event
	follows map[*timeline]uint64 // up to where this stream waits for others
	waits   int64                // of the host for this stream
}

// mark is an event recorded behind the work with a number.
type mark struct {
	number uint64
	event  cu.Event
}

func newTimeline() (*timeline, error) {
	s, err := cu.MakeStream(cu.NonBlocking)
	if err != nil {
		return nil, err
	}
	return &timeline{stream: s, follows: make(map[*timeline]uint64)}, nil
}

// reached reports, without asking the device, whether the work with a number is known to be over.
func (t *timeline) reached(number uint64) bool { return number <= t.done.Load() }

// maxMarks is the number of events from which on the device is asked which are over.
const maxMarks = 32

// mark records an event behind everything enqueued so far.
func (t *timeline) mark() error {
	number := t.queued
	if n := len(t.marks); t.reached(number) || n > 0 && t.marks[n-1].number == number {
		return nil
	}
	if len(t.marks) >= maxMarks {
		if err := t.poll(); err != nil {
			return err
		}
	}
	event, err := t.event()
	if err != nil {
		return err
	}
	if err := event.Record(t.stream); err != nil {
		t.spare = append(t.spare, event)
		return err
	}
	t.marks = append(t.marks, mark{number, event})
	return nil
}

func (t *timeline) event() (cu.Event, error) {
	if n := len(t.spare); n > 0 {
		event := t.spare[n-1]
		t.spare = t.spare[:n-1]
		return event, nil
	}
	return cu.MakeEvent(cu.DisableTiming)
}

// poll asks the device which marks are over.
func (t *timeline) poll() error {
	for len(t.marks) > 0 {
		switch err := t.marks[0].event.Query(); code(err) {
		case 0:
			t.pass(1)
		case codeNotReady:
			return nil
		default:
			return err
		}
	}
	return nil
}

// pass notes that the first n marks are over.
func (t *timeline) pass(n int) {
	t.done.Store(t.marks[n-1].number)
	for _, m := range t.marks[:n] {
		t.spare = append(t.spare, m.event)
	}
	t.marks = append(t.marks[:0], t.marks[n:]...)
}

// find returns the place of the first mark at or behind a number, recording one where there is none.
func (t *timeline) find(number uint64) (int, error) {
	for i, m := range t.marks {
		if m.number >= number {
			return i, nil
		}
	}
	if err := t.mark(); err != nil {
		return 0, err
	}
	return len(t.marks) - 1, nil
}

// wait returns when the work with a number is over.
func (t *timeline) wait(number uint64) error {
	if t.reached(number) {
		return nil
	}
	i, err := t.find(number)
	if err != nil {
		return err
	}
	t.waits++
	if err := t.marks[i].event.Synchronize(); err != nil {
		return err
	}
	t.pass(i + 1)
	return nil
}

// follow makes work enqueued from now on wait, on the device, for the work of another stream with a number.
func (t *timeline) follow(other *timeline, number uint64) error {
	if number <= t.follows[other] || other.reached(number) {
		return nil
	}
	i, err := other.find(number)
	if err != nil {
		return err
	}
	if err := t.stream.Wait(other.marks[i].event, 0); err != nil {
		return err
	}
	t.follows[other] = other.marks[i].number
	return nil
}

// synchronize returns when everything enqueued is over.
func (t *timeline) synchronize() error {
	number := t.queued
	t.waits++
	if err := t.stream.Synchronize(); err != nil {
		return err
	}
	n := 0
	for n < len(t.marks) && t.marks[n].number <= number {
		n++
	}
	if n > 0 {
		t.pass(n)
	}
	t.done.Store(number)
	return nil
}

// close destroys the events and the stream.
func (t *timeline) close() error {
	var first error
	for _, m := range t.marks {
		t.spare = append(t.spare, m.event)
	}
	t.marks = nil
	for i := range t.spare {
		if err := cu.DestroyEvent(&t.spare[i]); err != nil && first == nil {
			first = err
		}
	}
	t.spare = nil
	if err := t.stream.Destroy(); err != nil && first == nil {
		first = err
	}
	return first
}
