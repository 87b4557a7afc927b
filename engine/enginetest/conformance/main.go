// Command conformance runs the conformance suite on every engine of this machine and writes the table in
// docs/conformance.md:
//
//	go run ./engine/enginetest/conformance -o docs/conformance.md
//
// The CPU engine runs with every instruction set that the processor has, each in a process of its own. A
// program built with the tag gpu runs the suite on the first GPU as well.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/engine/simd"
)

func main() {
	out := flag.String("o", "", "`FILE` to write, standard output without")
	one := flag.String("device", "", "run on this `DEVICE` alone and write JSON")
	flag.Parse()
	if err := run(*out, *one); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func run(out, one string) error {
	if one != "" {
		column, err := measure(one)
		if err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(column)
	}
	columns, err := all()
	if err != nil {
		return err
	}
	var text bytes.Buffer
	text.WriteString(introduction)
	if err := enginetest.WriteReport(&text, columns); err != nil {
		return err
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

    go run ./engine/enginetest/conformance -o docs/conformance.md

and with the GPU engine by ` + "`make conformance`" + `, which builds with the tag gpu and runs on the simulated
GPU where there is no other.

`

// measure runs the suite on one device.
func measure(device string) (enginetest.Column, error) {
	e, err := engine.Open(device, 0)
	if err != nil {
		return enginetest.Column{}, err
	}
	name := "CPU, " + simd.Level()
	if d, ok := e.(engine.Device); ok {
		defer d.Close()
		name = d.String()
		if d, ok := e.(interface{ Describe() string }); ok {
			name = d.Describe()
		}
	}
	return enginetest.Column{Engine: name, Summaries: enginetest.Summarize(e)}, nil
}

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
	if err != nil {
		return column, fmt.Errorf("%s %v: %w", device, setting, err)
	}
	return column, json.Unmarshal(text, &column)
}
