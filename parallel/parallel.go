// Package parallel runs independent pieces of work on several goroutines. Pieces are handed out in
// order as workers become free, so callers must not let the result of a piece depend on who ran it. Goroutines that
// have helped watch for more work for some microseconds before they sleep: many short loops follow one another. A panic
// in a piece comes out of the loop, whoever ran it.
//
//	parallel.For(workers, len(squares), func(i int) { squares[i] = i * i })
package parallel

import "sync/atomic"

// For calls body(i) for every 0 <= i < n on at most workers goroutines and returns when all are done.
func For(workers, n int, body func(i int)) {
	Each(workers, n, func() func(int) { return body })
}

// Each is [For] with scratch space: every goroutine that takes part calls start once and runs its
// pieces through the function that start returned.
func Each(workers, n int, start func() func(i int)) {
	workers = min(workers, n)
	if workers <= 1 {
		if n > 0 {
			body := start()
			for i := range n {
				body(i)
			}
		}
		return
	}
	var next atomic.Int64
	run := func() {
		body := start()
		for {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			body(i)
		}
	}
	t := newLoop(run, workers-1)
	t.share()
	run() // no other goroutine has to wake up for short work
	t.wait()
	if said := t.failed.Load(); said != nil {
		panic(*said)
	}
}

// Chunks calls body(from, to) for consecutive ranges of at most size that cover 0..n.
func Chunks(workers, n, size int, body func(from, to int)) {
	For(workers, (n+size-1)/size, func(i int) {
		body(i*size, min(i*size+size, n))
	})
}
