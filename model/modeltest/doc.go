// Package modeltest holds the checks that every model must pass, chosen by what its family declares: what it does with
// data that have little to learn from, that the same work gives the same bits, and the laws by which predictions follow
// from the data and not from how they are written down.
//
//	for _, s := range modeltest.Subjects(engine.NewCPU(2)) {
//		for _, c := range modeltest.Checks() {
//			r := c.Check(s)
//			fmt.Println(s.Name, c.Name, r.Outcome, r.Err)
//		}
//	}
//
// Subjects are the models that are registered, so that a new family is checked as soon as it is imported. What a family
// promises of a law, if not that it holds to the last bit, stands in one table with the reason ([Subject.Promise]).
package modeltest
