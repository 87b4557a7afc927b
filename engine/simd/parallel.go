package simd

import (
	"sync"
	"sync/atomic"
)

// worthSharing is the number of multiply-adds, some ten microseconds of work, from which on it pays
// to start goroutines.
const worthSharing = 1 << 20

// team is the number of workers that a product is worth.
func (p *product[T]) team(workers, tasks int) int {
	if p.m*p.n*p.k < worthSharing {
		return 1
	}
	return min(workers, tasks)
}

// share runs tasks 0 to n-1 on some workers, of which the caller is one.
func share(workers, n int, run func(task int)) {
	var next atomic.Int64
	work := func() {
		for {
			task := int(next.Add(1)) - 1
			if task >= n {
				return
			}
			run(task)
		}
	}
	var wait sync.WaitGroup
	for range workers - 1 {
		wait.Go(work)
	}
	work()
	wait.Wait()
}
