//go:build gpu

package cuda

import (
	"fmt"
	"path/filepath"
	"strings"

	"gorgonia.org/cu"
)

// count returns the number of GPUs, or says why there are none.
func count() (int, error) {
	s := driver()
	if s.result != 0 {
		return 0, noDriver(s)
	}
	n, err := cu.NumDevices()
	if err != nil || n == 0 {
		s.result = codeNoDevice
		if err != nil {
			s.result = code(err)
		}
		return 0, noDriver(s)
	}
	return n, nil
}

// properties of a GPU that kernels are launched by.
type properties struct {
	ordinal                 int
	name                    string
	major, minor            int
	multiprocessors         int
	warp                    int
	sharedPerBlock          int // bytes that a block may ask for
	sharedPerMultiprocessor int
	l2Bytes                 int
	threadsPerMultiproc     int
	clockKHz, memoryKHz     int
	busBits                 int
	total                   int64
	ecc, exclusive          bool
}

func readProperties(d cu.Device) (p properties, err error) {
	if p.name, err = d.Name(); err != nil {
		return p, err
	}
	p.ordinal = int(d)
	if p.total, err = d.TotalMem(); err != nil {
		return p, err
	}
	for _, a := range []struct {
		attribute cu.DeviceAttribute
		value     *int
	}{
		{cu.ComputeCapabilityMajor, &p.major},
		{cu.ComputeCapabilityMinor, &p.minor},
		{cu.MultiprocessorCount, &p.multiprocessors},
		{cu.WarpSize, &p.warp},
		{attributeSharedPerBlockOptin, &p.sharedPerBlock},
		{cu.MaxSharedMemoryPerMultiprocessor, &p.sharedPerMultiprocessor},
		{cu.L2CacheSize, &p.l2Bytes},
		{cu.MaxThreadsPerMultiprocessor, &p.threadsPerMultiproc},
	} {
		if *a.value, err = d.Attribute(a.attribute); err != nil {
			return p, err
		}
	}
	// What only the report shows may be missing.
	p.clockKHz, _ = d.Attribute(cu.ClockRate)
	p.memoryKHz, _ = d.Attribute(cu.MemoryClockRate)
	p.busBits, _ = d.Attribute(cu.GlobalMemoryBusWidth)
	ecc, _ := d.Attribute(cu.EccEnabled)
	mode, _ := d.Attribute(cu.ComputeMode)
	p.ecc, p.exclusive = ecc == 1, mode == 3
	return p, nil
}

// Device describes one GPU.
type Device struct {
	Ordinal         int    `json:"ordinal"`
	Name            string `json:"name"`
	Major           int    `json:"major"` // compute capability
	Minor           int    `json:"minor"`
	Total           int64  `json:"memory_bytes"`
	Free            int64  `json:"available_bytes"` // -1 where the GPU could not be asked
	Multiprocessors int    `json:"multiprocessors"`
	ClockMHz        int    `json:"clock_mhz"`
	MemoryClockMHz  int    `json:"memory_clock_mhz"`
	MemoryBusBits   int    `json:"memory_bus_bits"`
	SharedPerBlock  int    `json:"shared_bytes_per_block"` // that a block may have
	L2Bytes         int    `json:"l2_bytes"`
	ECC             bool   `json:"ecc"`
	ExclusiveMode   bool   `json:"exclusive_mode"`
	Problem         string `json:"problem,omitempty"` // why Grove cannot use it, in one line; empty where it can
}

// Report is what the machine offers for CUDA.
type Report struct {
	Driver string `json:"driver,omitempty"` // file of the driver library; empty where there is none
	// as the library's file says, such as 550.54; empty where it does not
	DriverVersion string   `json:"driver_version,omitempty"`
	CUDA          string   `json:"cuda,omitempty"`   // newest CUDA version that the driver has
	Needs         string   `json:"needs"`            // CUDA version that the kernels were compiled with
	CuBLAS        string   `json:"cublas,omitempty"` // file of the cuBLAS library; empty where there is none
	Devices       []Device `json:"devices,omitempty"`
	Problem       string   `json:"problem,omitempty"` // why there is no GPU, in one line; empty where there is one
}

// Devices lists the GPUs of this machine and the libraries that were found. Nothing is left allocated.
func Devices() Report {
	s := driver()
	r := Report{Driver: resolve(s.path), Needs: version(toolkit()), CuBLAS: findLibrary(blasLibraries())}
	if s.path != "" {
		_, number, _ := strings.Cut(filepath.Base(r.Driver), ".so.")
		if strings.Contains(number, ".") {
			r.DriverVersion = number
		}
		if v := cu.Version(); v > 0 {
			r.CUDA = version(v)
		}
	}
	n, err := count()
	if err != nil {
		r.Problem = err.Error()
		return r
	}
	for i := range n {
		r.Devices = append(r.Devices, describeDevice(i))
	}
	return r
}

// describe returns the properties that users are shown.
func (p *properties) describe() Device {
	return Device{
		Ordinal: p.ordinal, Free: -1, Name: p.name, Major: p.major, Minor: p.minor, Total: p.total,
		Multiprocessors: p.multiprocessors, ClockMHz: p.clockKHz / 1000, MemoryClockMHz: p.memoryKHz / 1000,
		MemoryBusBits: p.busBits, SharedPerBlock: p.sharedPerBlock, L2Bytes: p.l2Bytes,
		ECC: p.ecc, ExclusiveMode: p.exclusive,
	}
}

func describeDevice(ordinal int) Device {
	d := Device{Ordinal: ordinal, Free: -1}
	device, err := cu.GetDevice(ordinal)
	var p properties
	if err == nil {
		p, err = readProperties(device)
	}
	if err != nil {
		d.Problem = fmt.Sprintf("GPU %d: %s", ordinal, describe(err))
		return d
	}
	d = p.describe()
	if err := p.suits(toolkit()); err != nil {
		d.Problem = err.Error()
		return d
	}
	// Only a context can tell how much memory is free.
	t, context, err := startThread(device)
	if err != nil {
		d.Problem = noContext(ordinal, err).Error()
		return d
	}
	_ = t.do(func() error {
		if free, _, err := cu.MemInfo(); err == nil {
			d.Free = free
		}
		return context.Destroy()
	})
	t.stop()
	return d
}

// String writes the report for a terminal, one fact a line.
func (r Report) String() string {
	var b strings.Builder
	line := func(label, format string, values ...any) {
		fmt.Fprintf(&b, "%-18s %s\n", label, fmt.Sprintf(format, values...))
	}
	if r.Driver == "" {
		line("driver", "none (looked for libcuda.so.1)")
	} else {
		release := ""
		if r.DriverVersion != "" {
			release = ", release " + r.DriverVersion
		}
		line("driver", "CUDA %s%s, %s", r.CUDA, release, r.Driver)
	}
	line("kernels", "compiled with CUDA %s, for compute capability %d.%d and newer", r.Needs, oldestGPU()/10,
		oldestGPU()%10)
	if r.CuBLAS == "" {
		line("cuBLAS", "none (optional; looked for %s, beside Python too)", strings.Join(blasNames[:], ", "))
	} else {
		line("cuBLAS", "%s", r.CuBLAS)
	}
	for _, d := range r.Devices {
		line(fmt.Sprintf("cuda:%d", d.Ordinal), "%s", d.Name)
		line("  capability", "%d.%d", d.Major, d.Minor)
		free := ""
		if d.Free >= 0 {
			free = ", " + bytesText(d.Free) + " free"
		}
		ecc := ""
		if d.ECC {
			ecc = ", ECC"
		}
		line("  memory", "%s%s%s", bytesText(d.Total), free, ecc)
		line("  multiprocessors", "%d at %d MHz, %s shared memory for a block, %s L2", d.Multiprocessors, d.ClockMHz,
			bytesText(int64(d.SharedPerBlock)), bytesText(int64(d.L2Bytes)))
		if d.MemoryBusBits > 0 && d.MemoryClockMHz > 0 {
			line("  memory bus", "%d bits at %d MHz", d.MemoryBusBits, d.MemoryClockMHz)
		}
		if d.ExclusiveMode {
			line("  mode", "one process at a time")
		}
		if d.Problem != "" {
			line("  problem", "%s", d.Problem)
		}
	}
	if r.Problem != "" {
		line("problem", "%s", r.Problem)
	}
	return b.String()
}
