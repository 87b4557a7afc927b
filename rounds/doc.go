// Package rounds carries out learning that goes over some data several times, each time with what came of the time
// before: by one process, or in parts that any machine computes, round after round.
//
// Who learns writes one program, in which each pass over the data is a [Collect], a [Digest], a [Reduce], a [Conclude]
// or a [Matrix], what should be computed once is a [Keep], and what has passes of its own a [Whole]. They cut the data
// into blocks that do not depend on who computes them, and put the results of the blocks together in an order of their
// own, so that results have the same bits in three roles:
//
//   - Nil [Rounds]: the process computes everything.
//   - [Lead]: it computes no block. What is known is read from a folder; at the first pass that is not known it takes
//     the results of parts, where it was given some, or ends with a [NextError].
//   - [Take]: it computes the blocks of the first pass that is not known which begin within a range of the data, writes
//     them and ends with [ErrDone].
//
// A leader that takes the results of all parts goes on to the next pass. It runs the program from the start every time:
// what it comes by again is known.
package rounds
