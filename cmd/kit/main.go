// Command kit checks and measures Grove on a machine with a GPU and a driver that needs neither Go nor a compiler. It
// runs out of the archive that make kit packs, beside the programs that it calls; docs/kit.md says how to use it.
//
//	kit run A B C --out DIR     the parts, at most nine minutes each
//	kit report DIR...           what they measured, as a page
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const usage = `usage: kit run [A] [B] [C] [--out DIR] [--sim] [--size full|tiny]
       kit report [--predictions FILE.md] [--out FILE.md] [DIR]...

run: part A checks that Grove computes the right thing, B how fast, C where the time goes; without a name all run
  --out DIR              folder of the results (default $OUT or kit-results)
  --sim                  run on the simulated GPU of the kit
  --size full|tiny       full measures; tiny only shows that everything runs (default full, with --sim tiny)

report: the page of the results in folders that run wrote
  --out FILE.md          file of the page (default standard output)
  --predictions FILE.md  what was predicted, a table in Markdown (default docs/benchmarks/predictions.md)`

func main() {
	err := run(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		fmt.Println(usage)
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "kit:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New(usage)
	}
	switch args[0] {
	case "run":
		return runParts(args[1:])
	case "report":
		return reportCommand(args[1:])
	case "help", "--help", "-help", "-h":
		return flag.ErrHelp
	case "arrays": // what part B calls to be compared with others
		return arraysCommand(args[1:])
	}
	return fmt.Errorf("%q is no command\n%s", args[0], usage)
}

// parts are the checks by the name of the part.
var parts = []struct {
	name   string
	about  string
	checks func(*session) []check
}{
	{"A", "does it compute the right thing", rightChecks},
	{"B", "how fast", speedChecks},
	{"C", "where the time goes", insideChecks},
}

// flagsAnywhere parses flags that may stand before, between and after the arguments, and returns these.
func flagsAnywhere(f *flag.FlagSet, args []string) ([]string, error) {
	f.SetOutput(io.Discard) // the error says the same
	f.Usage = func() {}
	var rest []string
	for len(args) > 0 {
		if err := f.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, err
			}
			return nil, fmt.Errorf("%w\n%s", err, usage)
		}
		if args = f.Args(); len(args) > 0 {
			rest, args = append(rest, args[0]), args[1:]
		}
	}
	return rest, nil
}

func runParts(args []string) error {
	f := flag.NewFlagSet("kit run", flag.ContinueOnError)
	out := f.String("out", "", "")
	sim := f.Bool("sim", false, "")
	size := f.String("size", "", "")
	chosen, err := flagsAnywhere(f, args)
	if err != nil {
		return err
	}
	for i, c := range chosen {
		chosen[i] = strings.ToUpper(c)
		if !slices.Contains([]string{"A", "B", "C"}, chosen[i]) {
			return fmt.Errorf("%q is no part of the kit\n%s", c, usage)
		}
	}
	if *size == "" {
		*size = "full"
		if *sim {
			*size = "tiny"
		}
	}
	sizes, known := allSizes[*size]
	if !known {
		return fmt.Errorf("--size %s: want full or tiny", *size)
	}
	if *out == "" {
		if *out = os.Getenv("OUT"); *out == "" {
			*out = "kit-results"
		}
	}
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	kit := filepath.Dir(filepath.Dir(executable))
	failed, unsaved := 0, error(nil)
	for _, p := range parts {
		if len(chosen) > 0 && !slices.Contains(chosen, p.name) {
			continue
		}
		s, err := newSession(kit, *out, p.name, sizes, *sim)
		if err != nil {
			return err
		}
		fmt.Printf("== part %s: %s\n", p.name, p.about)
		n, err := s.part(p.checks(s))
		failed, unsaved = failed+n, errors.Join(unsaved, err)
	}
	if unsaved != nil {
		return unsaved
	}
	if failed > 0 {
		return fmt.Errorf("%d checks failed; %s has the details", failed, *out)
	}
	return nil
}
