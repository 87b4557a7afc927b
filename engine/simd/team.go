package simd

// worthSharing is the number of multiply-adds, some ten microseconds of work, from which on it pays
// to start goroutines.
const worthSharing = 1 << 20

// team is the number of workers that a product is worth.
func (p *product[T]) team(workers, pieces int) int {
	if p.m*p.n*p.k < worthSharing {
		return 1
	}
	return min(workers, pieces)
}
