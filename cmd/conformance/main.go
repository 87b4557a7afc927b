// Command conformance runs the conformance suite on every engine of this machine and the checks of every model, and
// writes the tables in docs/conformance.md:
//
//	go run ./cmd/conformance -o docs/conformance.md
//
// The CPU engine runs with every instruction set that the processor has, each in a process of its own. A
// program built with the tag gpu runs the suite on the first GPU as well.
//
// With -device the suite, or a selection of it, runs on that device alone, and the outcome of every case is written as
// JSON:
//
//	go run ./cmd/conformance -device cuda -run '^Gemm/' -shard 1/4 -limit 2m -o matmul.json
//
// Its exit status is 1 where a case fails or is left over.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/engine/simd"
	_ "github.com/grove-graph/grove/families" // whose models are checked
	"github.com/grove-graph/grove/model/modeltest"
)

func main() {
	out := flag.String("o", "", "`FILE` to write, standard output without")
	models := flag.Bool("models", false, "check the models alone")
	device := flag.String("device", "", "run on this `DEVICE` alone and write JSON")
	var s selection
	flag.StringVar(&s.pattern, "run", "", "with -device: only cases that match this `REGEXP`, as '^Gram/.* float32$'")
	flag.StringVar(&s.list, "cases", "", "with -device: only the cases in this `FILE`, a line each; - for standard input")
	flag.StringVar(&s.shard, "shard", "", "with -device: only part `I/N` of the cases, such as 1/4")
	flag.DurationVar(&s.limit, "limit", 0, "with -device: begin no case after this `TIME`, such as 90s")
	flag.Parse()
	if err := run(*out, *device, s, *models); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func run(out, device string, s selection, models bool) error {
	switch {
	case flag.NArg() > 0:
		return fmt.Errorf("%q is no flag: see conformance -help", flag.Arg(0))
	case device != "" && models:
		return errors.New("-device is for the cases of operations: without -models")
	case device != "":
		return s.run(device, out)
	case s != selection{}:
		return errors.New("-run, -cases, -shard and -limit select cases for the device that -device names")
	}
	var text bytes.Buffer
	if !models {
		columns, err := all()
		if err != nil {
			return err
		}
		text.WriteString(introduction)
		if err := enginetest.WriteReport(&text, columns); err != nil {
			return err
		}
		text.WriteString("\n")
	}
	text.WriteString(ofModels)
	failed, err := modeltest.WriteReport(&text, modeltest.Subjects(engine.NewCPU(2)))
	if err != nil {
		return err
	}
	if failed > 0 {
		defer fmt.Fprintf(os.Stderr, "conformance: %d checks of models failed\n", failed)
	}
	if out == "" {
		_, err = io.Copy(os.Stdout, &text)
		return err
	}
	return os.WriteFile(out, text.Bytes(), 0o666)
}

const introduction = `# Conformance

Every operation of the engine runs on shapes that break things, in float32 and in float64, against the
float64 reference. A cell is the largest difference found, as a share of the admissible one: below 1 is a
pass. The admissible difference is relative to the largest element of a result, at least 1e-12 in float64 and
2e-6 in float32, times a factor that each case states (` + "`engine/enginetest`" + `). The table is written by

    go run ./cmd/conformance -o docs/conformance.md

and with the GPU engine by ` + "`make conformance`" + `, which builds with the tag gpu and runs on the simulated
GPU where there is no other.

`

const ofModels = `## Models

Every model that is registered passes the checks of ` + "`model/modeltest`" + `: what it does with data in which there
is little to learn, that the same work gives the same bits, and laws by which predictions follow from the data and not
from how they are written down. In the second table "yes" is to the last bit, a number is the largest difference that
is promised, as a share of the largest decision value, "no" is a known failure and "-" a check that does not apply; the
numbers in parentheses are those of the reasons below it. "Refused in one line" is an error that says what is wrong.
` + "`go run ./cmd/conformance -models`" + ` writes this part alone.

`

// all runs the suite on every engine, each in a process of its own.
func all() ([]enginetest.Column, error) {
	var columns []enginetest.Column
	for _, level := range []string{"portable", "avx2", "avx512"} {
		column, err := child("cpu", "GROVE_SIMD="+level)
		if err != nil {
			return nil, err
		}
		columns = append(columns, column)
		if level == simd.Level() {
			break // the processor has no more
		}
	}
	if !engine.Has("cuda") {
		return columns, nil
	}
	column, err := child("cuda")
	if err != nil {
		return nil, err
	}
	return append(columns, column), nil
}

func child(device string, setting ...string) (column enginetest.Column, err error) {
	cmd := exec.Command(os.Args[0], "-device", device)
	cmd.Env = append(os.Environ(), setting...)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if len(text) == 0 && err != nil {
		return column, fmt.Errorf("%s %v: %w", device, setting, err)
	}
	return column, json.Unmarshal(text, &column)
}
