// Command gen keeps the Go side of the kernels in step with kernels.cu and kernels/plain.cu.
//
//	gen launch < preprocessed kernels      writes kernels_gen.go, a typed launch function for every kernel or pair of a
//	                                       float and a double kernel; launch-plain for those that only tests load
//	gen models < preprocessed kernels      writes kernels/models_gen.cuh, the twins of kernels for several models
//	gen resources < output of ptxas -v     writes the resource report, one line per kernel and architecture
//	gen verify FATBIN ARCHITECTURE... < kernels_gen.go
//	                                       checks with cuobjdump that every entry point exists in the fatbin for each of
//	                                       the architectures, ptx (the oldest), ptx_90, sm_80 and so on, with the right
//	                                       parameters
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
)

const commands = "want one of launch, launch-plain, models, resources, verify FATBIN ARCHITECTURES"

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) error {
	if len(args) == 0 {
		return errors.New(commands)
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	o, launches := outputs[args[0]]
	switch {
	case launches && len(args) == 1:
		entries, err := parse(string(text))
		if err != nil {
			return err
		}
		source, err := launchFunctions(entries, o)
		if err != nil {
			return err
		}
		_, err = out.Write(source)
		return err
	case args[0] == "models" && len(args) == 1:
		source, err := modelKernels(string(text), forModels)
		if err != nil {
			return err
		}
		_, err = out.Write(source)
		return err
	case args[0] == "resources" && len(args) == 1:
		report, err := resources(string(text))
		if err != nil {
			return err
		}
		_, err = io.WriteString(out, report)
		return err
	case args[0] == "verify" && len(args) > 2:
		table, err := readTable(string(text))
		if err != nil {
			return err
		}
		return verify(args[1], args[2:], table, out)
	}
	return fmt.Errorf("%q: %s", args, commands)
}
