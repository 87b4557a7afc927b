// Package parts cuts a long job into parts that any machine may run, in any order and as often as it likes, and puts
// their results together to the bytes of one machine.
//
// A [Plan] is a file that says what is to be computed from which inputs, by their digests, and how it is cut: part i
// has the graphs from i Size on. A part is a pure function of the plan and its number. [Plan.Run] computes one and
// leaves its results beside the plan, each there as a whole or not at all, with a receipt; a part that has its receipt
// costs nothing. [Plan.Merge] checks all receipts, and writes the results one behind the other to the outputs.
//
// Nothing here decides what runs where: that is for what people have, from a loop in a shell to a cluster.
package parts
