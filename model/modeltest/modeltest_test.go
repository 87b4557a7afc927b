package modeltest_test

import (
	"testing"

	"github.com/grove-graph/grove/engine"
	_ "github.com/grove-graph/grove/families"
	"github.com/grove-graph/grove/model/modeltest"
)

func TestEveryModel(t *testing.T) {
	for _, s := range modeltest.Subjects(engine.NewCPU(2)) {
		for _, c := range modeltest.Checks() {
			t.Run(s.Name+"/"+c.Name, func(t *testing.T) {
				t.Parallel()
				switch r := c.Check(s); r.Outcome {
				case modeltest.Failed:
					t.Error(r.Err)
				case modeltest.KnownFailure, modeltest.Within:
					t.Logf("%s: %s (%v)", r.Outcome, r.Promise.Reason, r.Err)
				case modeltest.Skipped:
					t.Log(r.Err)
				}
			})
		}
	}
}
