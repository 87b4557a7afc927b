package engine_test

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"gorgonia.org/tensor"
)

func TestConformanceCPU(t *testing.T) {
	if os.Getenv("GROVE_CONFORMANCE_CHILD") != "" {
		checkSample(t, engine.NewCPU(3))
		return
	}
	enginetest.Run(t, engine.NewCPU(3))
	checkSample(t, engine.NewCPU(1)) // the number of workers changes no bits: TestSameBitsForAnyNumberOfWorkers
}

// checkSample checks the cases of a sample in which no two differ in the magnitudes of their numbers alone.
func checkSample(t *testing.T, e engine.Engine) {
	sample, _ := enginetest.Sample()
	for _, c := range sample {
		if err := enginetest.Check(c.Case, e, c.Dtype); err != nil {
			t.Errorf("%v on %d workers: %v", c, e.Workers(), err)
		}
	}
}

func TestMemory(t *testing.T) {
	for name, e := range map[string]engine.Engine{
		"cpu": engine.NewCPU(3), "reference": engine.Reference{}, "rough": enginetest.NewRough(1),
	} {
		t.Run(name, func(t *testing.T) {
			enginetest.RunMemory(t, func(*testing.T) engine.Engine { return e })
		})
	}
}

// An operation without a row in the suite does not exist, nor has memory a method without a case.
func TestEveryOperationHasCases(t *testing.T) {
	covered := map[string]int{}
	for _, c := range enginetest.MemoryCases() {
		covered[c.Method] = 1
	}
	methods := len(covered)
	for _, c := range enginetest.Cases() {
		covered[c.Operation] += len(c.Dtypes())
	}
	iface := reflect.TypeFor[engine.Engine]()
	base := reflect.TypeFor[tensor.Engine]()
	for i := range iface.NumMethod() {
		name := iface.Method(i).Name
		if _, inherited := base.MethodByName(name); inherited || name == "String" || name == "Workers" {
			continue
		}
		if covered[name] == 0 {
			t.Errorf("operation %s has no case in the conformance suite", name)
		}
	}
	total := -methods
	for _, n := range covered {
		total += n
	}
	if total < 1000 {
		t.Errorf("%d cases, each dtype counted, want at least 1000 in all", total)
	}
}

// The table in docs/conformance.md is that of this suite: go run ./cmd/conformance writes it.
func TestReportIsCurrent(t *testing.T) {
	report, err := os.ReadFile("../docs/conformance.md")
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]int{}
	for _, c := range enginetest.Cases() {
		cases[c.Operation] += len(c.Dtypes())
	}
	for operation, n := range cases {
		if row := fmt.Sprintf("| %s | %d |", operation, n); !strings.Contains(string(report), row) {
			t.Errorf("docs/conformance.md has no row %q: make conformance writes it anew", row)
		}
	}
}

func TestRowsApart(t *testing.T) {
	enginetest.RunApart(t, engine.NewCPU(2))
	enginetest.RunApart(t, engine.Reference{})
}
