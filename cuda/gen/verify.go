package main

import (
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
)

var tableRow = regexp.MustCompile(`(?m)^\t\{"(\w+)", "(\w*)"\},$`)

// readTable reads the table of entry points from a generated file: the kinds of the parameters by name.
func readTable(source string) (map[string]string, error) {
	table := make(map[string]string)
	for _, m := range tableRow.FindAllStringSubmatch(source, -1) {
		table[m[1]] = m[2]
	}
	if len(table) == 0 {
		return nil, fmt.Errorf("no table of kernels: want kernels_gen.go or plain_gen_test.go on standard input")
	}
	return table, nil
}

// sizes of the parameters in bytes.
var sizes = map[byte]int{'p': 8, 'i': 4, 'l': 8, 'f': 4, 'd': 8}

// found are the sizes of the parameters of each kernel, for each architecture.
type found map[string]map[string][]int

// verify compares what a fatbin has for the wanted architectures with the table and reports on out.
func verify(fatbin string, wanted []string, table map[string]string, out io.Writer) error {
	ptx, err := exec.Command("cuobjdump", "-ptx", fatbin).Output()
	if err != nil {
		return fmt.Errorf("cuobjdump -ptx %s: %w", fatbin, err)
	}
	kernels := found{}
	kernels.addPTX(string(ptx))
	if slices.ContainsFunc(wanted, func(a string) bool { return strings.HasPrefix(a, "sm_") }) {
		elf, err := exec.Command("cuobjdump", "-elf", fatbin).Output()
		if err != nil {
			return fmt.Errorf("cuobjdump -elf %s: %w", fatbin, err)
		}
		kernels.addELF(string(elf))
	}
	if complaints := compare(kernels, wanted, table); len(complaints) > 0 {
		return fmt.Errorf("%s: %s", fatbin, strings.Join(complaints, "; "))
	}
	fmt.Fprintf(out, "%s: %d kernels, each for %s, with the parameters that Go passes\n", fatbin, len(table),
		strings.Join(wanted, ", "))
	return nil
}

func compare(kernels found, wanted []string, table map[string]string) (complaints []string) {
	for _, architecture := range wanted {
		for name, signature := range table {
			got, ok := kernels[architecture][name]
			if !ok {
				complaints = append(complaints, fmt.Sprintf("kernel %s is missing for %s", name, architecture))
				continue
			}
			want := make([]int, len(signature))
			for i := range want {
				want[i] = sizes[signature[i]]
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				complaints = append(complaints, fmt.Sprintf("kernel %s for %s has parameters of %v bytes, Go passes %v", name,
					architecture, got, want))
			}
		}
		for name := range kernels[architecture] {
			if _, ok := table[name]; !ok {
				complaints = append(complaints, fmt.Sprintf("kernel %s for %s is not in the table: run cuda/gen/generate.sh", name,
					architecture))
			}
		}
	}
	sort.Strings(complaints)
	return complaints
}

func (f found) of(architecture string) map[string][]int {
	if f[architecture] == nil {
		f[architecture] = make(map[string][]int)
	}
	return f[architecture]
}

var (
	ptxEntry     = regexp.MustCompile(`\.entry (\w+)\s*\(([^)]*)\)`)
	ptxParameter = regexp.MustCompile(`\.param (?:\.align \d+ )?\.([usfb])(\d+)`)
	elfArch      = regexp.MustCompile(`^arch = (sm_\d+)`)
	elfSection   = regexp.MustCompile(`^\.(\S+)`)
	elfParameter = regexp.MustCompile(`Ordinal : 0x([0-9a-f]+)\s+Offset\s+: 0x[0-9a-f]+\s+Size\s+: 0x([0-9a-f]+)`)
)

// addPTX reads the entry points of one listing after another, each of which begins with its target.
func (f found) addPTX(text string) {
	for _, listing := range strings.Split(text, "\n.target ")[1:] {
		architecture := "ptx"
		if strings.HasPrefix(listing, "sm_90") {
			architecture = "ptx_90"
		}
		for _, m := range ptxEntry.FindAllStringSubmatch(listing, -1) {
			sizes := []int{}
			for _, p := range ptxParameter.FindAllStringSubmatch(m[2], -1) {
				sizes = append(sizes, atoi(p[2])/8)
			}
			f.of(architecture)[m[1]] = sizes
		}
	}
}

// addELF reads the sections .nv.info.NAME, which list the parameters from the last to the first.
func (f found) addELF(text string) {
	architecture, kernel := "", ""
	for _, line := range strings.Split(text, "\n") {
		if m := elfArch.FindStringSubmatch(line); m != nil {
			architecture, kernel = m[1], ""
			continue
		}
		if m := elfSection.FindStringSubmatch(line); m != nil {
			kernel = ""
			if name, ok := strings.CutPrefix(m[1], "nv.info."); ok {
				kernel = name
				f.of(architecture)[kernel] = []int{}
			}
			continue
		}
		if m := elfParameter.FindStringSubmatch(line); m != nil && kernel != "" {
			ordinal, _ := strconv.ParseInt(m[1], 16, 32)
			size, _ := strconv.ParseInt(m[2], 16, 32)
			list := f.of(architecture)[kernel]
			for len(list) <= int(ordinal) {
				list = append(list, 0)
			}
			list[ordinal] = int(size)
			f.of(architecture)[kernel] = list
		}
	}
}
