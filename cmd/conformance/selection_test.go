package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"gorgonia.org/tensor"
)

// asProgram makes the test binary behave as the command, which goes on in another process after a device was lost.
const asProgram = "GROVE_CONFORMANCE_RUN"

func TestMain(m *testing.M) {
	engine.Register("cuda", func() int { return 1 }, func(int, int) (engine.Engine, error) {
		return &brittle{CPU: engine.NewCPU(1)}, nil
	})
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// brittle is a device that stands for a GPU: a product of 33 rows makes it unusable, one of 129 columns does not end.
type brittle struct {
	*engine.CPU
	gone bool
}

func (b *brittle) String() string { return "brittle:0" }

func (b *brittle) Synchronize() error {
	if b.gone {
		return errors.New("the context is lost")
	}
	return nil
}

func (b *brittle) Gemm(c, x, y *tensor.Dense, opt engine.Gemm) error {
	b.gone = b.gone || c.Shape()[0] == 33
	if c.Shape()[1] == 129 {
		select {}
	}
	return errors.Join(b.Synchronize(), b.CPU.Gemm(c, x, y, opt))
}

func TestSelections(t *testing.T) {
	all := enginetest.Trials()
	list := filepath.Join(t.TempDir(), "cases.txt")
	if err := os.WriteFile(list, []byte("# two\n\n"+all[3].String()+"\n"+all[7].String()+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		selection
		count func(t enginetest.Trial) bool
	}{
		{selection{}, func(enginetest.Trial) bool { return true }},
		{selection{pattern: "^Gram/.* float64$"},
			func(t enginetest.Trial) bool { return t.Operation == "Gram" && t.Dtype == tensor.Float64 }},
		{selection{list: list}, func(t enginetest.Trial) bool {
			return t.String() == all[3].String() || t.String() == all[7].String()
		}},
	} {
		want := slices.DeleteFunc(slices.Clone(all), func(t enginetest.Trial) bool { return !c.count(t) })
		chosen, err := c.choose(all)
		if err != nil || !slices.Equal(names(chosen), names(want)) {
			t.Errorf("%+v: %d cases and %v, want %d", c.selection, len(chosen), err, len(want))
		}
		var together []string
		for _, shard := range []string{"1/3", "2/3", "3/3"} {
			c.shard = shard
			chosen, err := c.choose(all)
			if err != nil {
				t.Fatal(err)
			}
			together = append(together, names(chosen)...)
		}
		slices.Sort(together)
		if sorted := slices.Sorted(slices.Values(names(want))); !slices.Equal(together, sorted) {
			t.Errorf("%+v: three shards have %d cases, want %d", c.selection, len(together), len(sorted))
		}
	}
	if err := os.WriteFile(list, []byte("Gemm/of nothing float32\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for want, s := range map[string]selection{
		"-run":                   {pattern: "("},
		"there is no case":       {list: list},
		"none of":                {pattern: "^nothing$"},
		"want I/N":               {shard: "5/4"},
		"want I/N with I":        {shard: "half"},
		"no such file":           {list: list + "s"},
		"want I/N with I from 1": {shard: "1/2/3"},
	} {
		if _, err := s.choose(all); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", s, err, want)
		}
	}
}

// on runs a selection on a device and returns its report.
func on(t *testing.T, device string, s selection) (r report, err error) {
	t.Helper()
	t.Setenv(asProgram, "1") // for the processes that go on
	file := filepath.Join(t.TempDir(), "report.json")
	err = s.run(device, file)
	text, bad := os.ReadFile(file)
	if bad == nil {
		bad = json.Unmarshal(text, &r)
	}
	if bad != nil {
		t.Fatal(bad)
	}
	return r, err
}

func TestReportOfADevice(t *testing.T) {
	again, err := on(t, "cpu", selection{pattern: "^Convert/"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := on(t, "cpu", selection{pattern: "^Convert/"})
	if err != nil || len(r.Cases) == 0 || len(r.Summaries) != 1 || r.Summaries[0].Cases != len(r.Cases) {
		t.Fatalf("%v: %+v", err, r)
	}
	for i, o := range r.Cases {
		if o.Bits == "" || o.Bits != again.Cases[i].Bits || o.Error != "" {
			t.Errorf("%+v, before %+v", o, again.Cases[i])
		}
	}
	r, err = on(t, "cpu", selection{limit: time.Nanosecond})
	if all := enginetest.Trials(); err == nil || len(r.Cases)+len(r.NotRun) != len(all) || len(r.NotRun) < len(all)-1 {
		t.Errorf("without time %d cases ran and %d were left: %v", len(r.Cases), len(r.NotRun), err)
	}
}

func TestALostDeviceCostsOneCase(t *testing.T) {
	const pattern = "^Gemm/(33x33x33|5x7x31|33x65x17|1x5x7) "
	r, err := on(t, "cuda", selection{pattern: pattern})
	if err == nil || r.Lost == 0 || len(r.NotRun) > 0 {
		t.Fatalf("%v: %+v", err, r)
	}
	chosen, _ := selection{pattern: pattern}.choose(enginetest.Trials())
	if len(r.Cases) != len(chosen) {
		t.Errorf("%d cases, want %d", len(r.Cases), len(chosen))
	}
	for _, o := range r.Cases {
		if failed := strings.HasPrefix(o.Trial, "Gemm/33x"); failed != (o.Error != "") {
			t.Errorf("%+v", o)
		}
	}
}

func TestACaseThatHangsIsNamed(t *testing.T) {
	defer func(was time.Duration) { patience = was }(patience)
	patience = 100 * time.Millisecond
	r, err := on(t, "cuda", selection{pattern: "^Gemm/3x129x2 ", limit: time.Millisecond})
	if err == nil || !r.Hangs || len(r.Cases) != 1 || !strings.Contains(r.Cases[0].Error, "no answer") {
		t.Errorf("%v: %+v", err, r)
	}
}
