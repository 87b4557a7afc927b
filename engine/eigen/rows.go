package eigen

import "sync"

// overRows calls body on consecutive pieces of 0..rows-1, on as many goroutines as workers allows
// when each then has at least grain rows. The pieces depend on the number of workers, so that body
// must treat every row by itself.
func overRows(workers, rows, grain int, body func(from, to int)) {
	pieces := min(workers, rows/max(grain, 1))
	if pieces <= 1 {
		if rows > 0 {
			body(0, rows)
		}
		return
	}
	var wait sync.WaitGroup
	for piece := 1; piece < pieces; piece++ {
		wait.Add(1)
		go func() {
			defer wait.Done()
			body(piece*rows/pieces, (piece+1)*rows/pieces)
		}()
	}
	body(0, rows/pieces)
	wait.Wait()
}
