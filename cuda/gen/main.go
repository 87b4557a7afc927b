// Command gen keeps the Go side of the kernels in step with kernels.cu.
//
//	gen launch < preprocessed kernels      writes kernels_gen.go, one typed launch function per entry point
//	gen resources < output of ptxas -v     writes the resource report, one line per kernel and architecture
//	gen verify FATBIN < kernels_gen.go     checks with cuobjdump that every entry point exists in the fatbin, as PTX
//	                                       and for every architecture, with the right parameters
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) error {
	if len(args) == 0 {
		return fmt.Errorf("want one of launch, resources, verify FATBIN")
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	switch {
	case args[0] == "launch" && len(args) == 1:
		entries, err := parse(string(text))
		if err != nil {
			return err
		}
		source, err := launchFunctions(entries)
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
	case args[0] == "verify" && len(args) == 2:
		table, err := readTable(string(text))
		if err != nil {
			return err
		}
		return verify(args[1], table, out)
	}
	return fmt.Errorf("%q: want one of launch, resources, verify FATBIN", args)
}
