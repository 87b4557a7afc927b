// Package report makes pages of what package eval measures: of an evaluation, a comparison and a training. They are
// written by package render/page, and need neither a network nor files beside them.
//
//	study := report.Study{Problem: problem, About: report.About{Program: "grove", Command: report.CommandLine(os.Args)}}
//	p, err := study.Evaluation(ctx, &result, outcome)
//	err = p.Write(w)
package report
