package eval

// halving drops settings of a fold by their scores on its first inner folds. It is successive halving (Jamieson and
// Talwalkar 2016) without a bracket to wait for (Li et al. 2020, asynchronous): the settings come one after another,
// and one goes on where it is in the better half of those that came as far. So each is learned once, and what is kept
// of a dropped one is a number. The zero value drops nothing.
type halving struct {
	rungs  []int       // inner folds after which a setting is dropped or goes on: 1, 2, 4, ...
	scores [][]float64 // of the settings that came as far, by rung
}

// newHalving returns one over some inner folds.
func newHalving(inner int) halving {
	var h halving
	for m := 1; m < inner; m *= 2 {
		h.rungs = append(h.rungs, m)
	}
	h.scores = make([][]float64, len(h.rungs))
	return h
}

// passes notes the score of a setting at a rung and reports whether it goes on. Of equal scores the earlier is better.
func (h *halving) passes(rung int, m Metric, score float64) bool {
	better := 0
	for _, s := range h.scores[rung] {
		if !m.Better(score, s) {
			better++
		}
	}
	h.scores[rung] = append(h.scores[rung], score)
	return better < (len(h.scores[rung])+1)/2
}

// halvedTrainings is the mean number of inner folds that one of many settings is learned on.
func halvedTrainings(inner int) float64 {
	n, share, last := 0.0, 1.0, 0
	for _, m := range newHalving(inner).rungs {
		n += share * float64(m-last)
		share, last = share/2, m
	}
	return n + share*float64(inner-last)
}
