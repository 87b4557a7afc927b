package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// isa is an instruction set that kernels are written for.
type isa int

const (
	avx2 isa = iota
	avx512
)

func (s isa) String() string { return [...]string{"avx2", "avx512"}[s] }

// suffix ends the names of the functions of an instruction set.
func (s isa) suffix() string { return strings.ToUpper(s.String()) }

// bytes is the width of a vector register.
func (s isa) bytes() int { return [...]int{32, 64}[s] }

// registers is the number of vector registers.
func (s isa) registers() int { return [...]int{16, 32}[s] }

// assembler collects the functions of one file. Its methods stop the program at the first
// instruction that does not exist, since that is a mistake in a kernel.
type assembler struct {
	isa
	*reg.Collection
	file   *ir.File
	fn     *ir.Function
	labels int
	tables map[string]operand.Mem
}

func newAssembler(set isa) *assembler {
	return &assembler{isa: set, file: ir.NewFile(), tables: map[string]operand.Mem{}}
}

// function starts a function. The signature names the parameters, which load and store refer to.
func (a *assembler) function(name, signature string, doc ...string) {
	s, err := gotypes.ParseSignature(signature)
	if err != nil {
		a.fail(err)
	}
	a.Collection = reg.NewCollection()
	a.fn = ir.NewFunction(name)
	a.fn.SetSignature(s)
	a.fn.Attributes = attr.NOSPLIT
	a.fn.Doc = doc
	a.fn.AddPragma("noescape")
	a.file.AddSection(a.fn)
}

// op appends the instruction made by a constructor of package x86.
func (a *assembler) op(i *ir.Instruction, err error) {
	if err != nil {
		a.fail(err)
	}
	a.fn.AddInstruction(i)
}

func (a *assembler) fail(err error) {
	name := "file"
	if a.fn != nil {
		name = fmt.Sprintf("%s after %d instructions", a.fn.Name, len(a.fn.Nodes))
	}
	panic(fmt.Sprintf("%s: %v", name, err))
}

// label places a label, and newLabel names one that is unique in the file.
func (a *assembler) label(name string) { a.fn.AddLabel(ir.Label(name)) }

func (a *assembler) newLabel(name string) string {
	a.labels++
	return fmt.Sprintf("%s%d", name, a.labels)
}

// param is the memory of a parameter, result that of the result.
func (a *assembler) param(name string) operand.Mem {
	return a.resolve(a.fn.Signature.Params().Lookup(name))
}

func (a *assembler) result(name string) operand.Mem {
	return a.resolve(a.fn.Signature.Results().Lookup(name))
}

func (a *assembler) resolve(c gotypes.Component) operand.Mem {
	b, err := c.Resolve()
	if err != nil {
		a.fail(err)
	}
	return b.Addr
}

// load returns a register that holds an integer or pointer parameter.
func (a *assembler) load(name string) reg.GPVirtual {
	r := a.GP64()
	a.op(x86.MOVQ(a.param(name), r))
	return r
}

// vec returns a fresh vector register of the full width.
func (a *assembler) vec() reg.VecVirtual {
	if a.isa == avx512 {
		return a.ZMM()
	}
	return a.YMM()
}

// vecs returns n fresh vector registers.
func (a *assembler) vecs(n int) []reg.VecVirtual {
	v := make([]reg.VecVirtual, n)
	for i := range v {
		v[i] = a.vec()
	}
	return v
}

// zero clears a vector register.
func (a *assembler) zero(v reg.VecVirtual) {
	if a.isa == avx512 {
		a.op(x86.VPXORD(v, v, v))
		return
	}
	a.op(x86.VXORPS(v, v, v))
}

// ret ends the function.
func (a *assembler) ret() {
	a.op(x86.VZEROUPPER())
	a.op(x86.RET())
}

// table returns the address of constant data, which is stored once per file.
func (a *assembler) table(name string, values ...operand.Constant) operand.Mem {
	if m, ok := a.tables[name]; ok {
		return m
	}
	g := ir.NewStaticGlobal(name)
	g.Attributes = attr.RODATA | attr.NOPTR
	for _, v := range values {
		g.Append(v)
	}
	a.file.AddSection(g)
	a.tables[name] = g.Base()
	return g.Base()
}

// save compiles the file, checks that it keeps to the registers of its instruction set and writes
// name_amd64.s and name_stub_amd64.go.
func (a *assembler) save(name string) error {
	if err := pass.Compile.Execute(a.file); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, fn := range a.file.Functions() {
		for _, i := range fn.Instructions() {
			for _, r := range i.Registers() {
				p := reg.ToPhysical(r)
				if p.Kind() == reg.KindVector && int(p.PhysicalIndex()) >= a.registers() {
					return fmt.Errorf("%s: %s is not a register of %v", fn.Name, r.Asm(), a.isa)
				}
			}
		}
	}
	config := printer.Config{Argv: []string{"go", "generate", "./engine/simd"}, Pkg: "simd"}
	for file, p := range map[string]printer.Printer{
		name + "_amd64.s":       printer.NewGoAsm(config),
		name + "_stub_amd64.go": printer.NewStubs(config),
	} {
		text, err := p.Print(a.file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
