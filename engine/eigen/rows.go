package eigen

import "sync"

// overRows calls body on consecutive parts of 0..rows-1, on as many goroutines as workers allows
// when each then has at least grain rows. The parts depend on the number of workers, so that body
// must treat every row by itself.
func overRows(workers, rows, grain int, body func(from, to int)) {
	parts := min(workers, rows/max(grain, 1))
	if parts <= 1 {
		if rows > 0 {
			body(0, rows)
		}
		return
	}
	var wait sync.WaitGroup
	for part := 1; part < parts; part++ {
		wait.Add(1)
		go func() {
			defer wait.Done()
			body(part*rows/parts, (part+1)*rows/parts)
		}()
	}
	body(0, rows/parts)
	wait.Wait()
}
