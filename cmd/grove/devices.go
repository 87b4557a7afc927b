package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/simd"
	"github.com/spf13/cobra"
)

// device is what grove devices says of one device.
type device struct {
	Name        string `json:"name"` // as --device takes it
	Description string `json:"description"`
	Processor   string `json:"processor,omitempty"`
	SIMD        string `json:"simd"`
	Cores       int    `json:"cores"`
	Memory      int64  `json:"memory_bytes,omitempty"`    // 0 where the system does not say
	Free        int64  `json:"available_bytes,omitempty"` // memory that programs can still take
}

func newDevices(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "devices",
		Short: "List the devices that can compute",
		Long: `List the devices that can compute, with what matters for speed: instruction set, cores, memory; and
with a program that make gpu built the GPUs, their driver and libraries, or why none can be used.
The names are those that --device takes; auto takes the best one.

The processor computes with the best instruction set that it has, or with the one that the environment
variable GROVE_SIMD names: portable, avx2 or avx512. One seed gives the same bits wherever the instruction
set is the same; between two of them the last bits of a result may differ.`,
		Example: `  grove devices
  grove devices --json
  GROVE_SIMD=portable grove devices     # without vector instructions, for comparison`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			devices, err := listDevices()
			if err != nil {
				return err
			}
			found := gpus()
			return a.emit(map[string]any{"devices": devices, "cuda": found}, func(w io.Writer) {
				for _, d := range devices {
					d.print(w)
				}
				fmt.Fprint(w, found)
			})
		},
	}
	addFlags(c.Flags(), groupOutput, a.addOutputFlags)
	return c
}

func listDevices() ([]device, error) {
	e, err := engine.Open("cpu", 0)
	if err != nil {
		return nil, err
	}
	cpu := device{Name: "cpu", Description: e.Describe(), SIMD: simd.Level(), Cores: e.Workers()}
	cpu.Processor = procField("/proc/cpuinfo", "model name")
	cpu.Memory = procBytes("MemTotal")
	cpu.Free = procBytes("MemAvailable")
	return []device{cpu}, nil
}

func (d *device) print(w io.Writer) {
	fmt.Fprintf(w, "%s\n", d.Name)
	detail := func(name, text string) { fmt.Fprintf(w, "  %-16s %s\n", name, text) }
	if d.Processor != "" {
		detail("processor", d.Processor)
	}
	detail("instructions", d.SIMD)
	detail("cores", fmt.Sprint(d.Cores))
	if d.Memory > 0 {
		detail("memory", fmt.Sprintf("%.1f GB, %.1f GB available", float64(d.Memory)/1e9, float64(d.Free)/1e9))
	}
	detail("system", runtime.GOOS+"/"+runtime.GOARCH)
}

// procField returns the first value of a name in a file like /proc/cpuinfo, "" where there is none.
func procField(file, name string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		key, value, ok := strings.Cut(s.Text(), ":")
		if ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// procBytes returns an amount of memory from /proc/meminfo, 0 where there is none.
func procBytes(name string) int64 {
	var kilobytes int64
	if _, err := fmt.Sscanf(procField("/proc/meminfo", name), "%d kB", &kilobytes); err != nil {
		return 0
	}
	return kilobytes * 1024
}
