//go:build gpu

package cuda

import (
	"math"
	"sync"
)

// places tells where the submissions of a lane are among all that the streams of the device have: each lane counts its
// own. A submission may be said to be further behind than it is, which is as right to wait for.
type places struct {
	mu   sync.Mutex
	last uint64 // number of the last submission that has a place
	runs []run
}

// run are submissions in a row, whose places are as far from their numbers.
type run struct{ number, place uint64 }

// maxRuns bounds what is remembered.
const maxRuns = 64

// put gives a submission its place, behind all before, on the context's thread.
func (p *places) put(number, place uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = number
	if n := len(p.runs); n > 0 && number-p.runs[n-1].number == place-p.runs[n-1].place {
		return
	}
	if len(p.runs) == maxRuns {
		p.runs = append(p.runs[:0], p.runs[maxRuns/2:]...)
	}
	p.runs = append(p.runs, run{number, place})
}

// of returns the place of a submission, 0 for the number 0, and beyond all places where it has none yet.
func (p *places) of(number uint64) uint64 {
	if number == 0 {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if number > p.last {
		return math.MaxUint64
	}
	for i := len(p.runs) - 1; i >= 0; i-- {
		if r := p.runs[i]; r.number <= number {
			return r.place + number - r.number
		}
	}
	return p.runs[0].place
}

// performed is the number of the last submission that has a place.
func (p *places) performed() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last
}
