//go:build gpu

// Package sim controls the simulated GPU: a stand-in for the CUDA driver's library that runs Grove's kernels on
// the CPU and looks for their mistakes. It is for tests only.
//
// The library is made by cuda/sim/build.sh and is found in place of the driver through LD_LIBRARY_PATH:
//
//	cuda/sim/build.sh build/sim
//	cuda/go.sh test -exec "$PWD/cuda/sim/with.sh $PWD/build/sim" ./cuda
//
// What the simulator finds — threads of a block at different barriers, lanes that miss a shuffle, writes beside an
// allocation or to freed memory, copies out of range, calls without a context — it says in one line that names
// the kernel, block and thread, counts it, and lets the next call of the driver fail. What a kernel or a
// program reads without having written it is not a number. Streams run lazily, in an interleaving that depends on the
// seed.
//
// A library that is built with --lens also finds races and reads of what was never written, and counts what the kernels
// ask of memory: see [Look] and docs/benchmarks.
//
// The environment sets the same keys for a whole program: GROVE_SIM="key=value,key=value" and
// GROVE_SIM_ORDER=forward|reverse|shuffled[:SEED].
package sim

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdlib.h>

typedef int (*set_function)(const char *, long long);
typedef int (*set_text_function)(const char *, const char *);
typedef long long (*get_function)(const char *);
typedef const char *(*text_function)(const char *);
typedef void (*reset_function)(void);

static void *symbol(const char *name)
{
	void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
	return library ? dlsym(library, name) : 0;
}
static int sim_set(void *f, const char *key, long long value) { return ((set_function)f)(key, value); }
static int sim_set_text(void *f, const char *key, const char *text) { return ((set_text_function)f)(key, text); }
static long long sim_get(void *f, const char *key) { return ((get_function)f)(key); }
static const char *sim_text(void *f, const char *key) { return ((text_function)f)(key); }
static void sim_reset(void *f) { ((reset_function)f)(); }
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// Setting is the name of something that a test can change; see Set.
type Setting string

// The machine that is imitated.
const (
	Devices         Setting = "devices"         // number of devices
	Memory          Setting = "memory"          // bytes of each
	Driver          Setting = "driver"          // version of the driver, 1000 major + 10 minor
	Capability      Setting = "capability"      // compute capability, 10 major + minor
	Multiprocessors Setting = "multiprocessors" // of each device
	InitError       Setting = "init_error"      // what cuInit answers
	Busy            Setting = "busy"            // 1: another process holds the devices
	DamagedImage    Setting = "damaged_image"   // 1: every module counts as damaged
	Graphs          Setting = "graphs"          // 0: graphs cannot be instantiated
)

// How work is run.
const (
	Lazy            Setting = "lazy"              // 1: streams run when somebody waits for them; 0: at once
	Seed            Setting = "seed"              // of the interleaving and of the shuffled order
	Protect         Setting = "protect"           // 1: touching device memory from Go is a fault
	GuardEachLaunch Setting = "guard_each_launch" // 1: what lies beside the arguments is checked after each launch
	Quiet           Setting = "quiet"             // 1: findings are not written to standard error
	Abort           Setting = "abort"             // 1: the first finding ends the process
)

// What fails: N makes the N-th call from now fail, -N every call from the N-th on, 0 none.
const (
	FailAlloc       Setting = "fail_alloc"
	FailHostAlloc   Setting = "fail_host_alloc"
	FailLaunch      Setting = "fail_launch"
	FailCopy        Setting = "fail_copy"
	FailSynchronise Setting = "fail_synchronise"
	LaunchError     Setting = "launch_error" // the CUresult of a launch that fails on request
)

// Counter is the name of something that the simulator counts; see Count.
type Counter string

// Counted since the start or the last Reset.
const (
	Launches         Counter = "launches" // of kernels, those in graphs as well
	GraphLaunches    Counter = "graph_launches"
	Allocations      Counter = "allocations"
	HostAllocations  Counter = "host_allocations"
	Copies           Counter = "copies"
	HostToDevice     Counter = "host_to_device" // bytes
	DeviceToHost     Counter = "device_to_host" // bytes
	DeviceToDevice   Counter = "device_to_device"
	Memsets          Counter = "memsets"
	Synchronisations Counter = "synchronisations"
	Injected         Counter = "injected" // calls that failed on request
	Findings         Counter = "findings" // mistakes that were found

	SingleExponentials Counter = "single_exponentials" // that kernels evaluated in float32
	DoubleExponentials Counter = "double_exponentials" // and in float64
)

// Alive or waiting at this moment.
const (
	LiveAllocations     Counter = "live_allocations"
	LiveBytes           Counter = "live_bytes"
	LiveHostAllocations Counter = "live_host_allocations"
	LiveContexts        Counter = "live_contexts"
	LiveModules         Counter = "live_modules"
	LiveStreams         Counter = "live_streams"
	LiveEvents          Counter = "live_events"
	LiveGraphs          Counter = "live_graphs" // instantiated ones as well
	Leaks               Counter = "leaks"       // all of these but LiveBytes
	Queued              Counter = "queued"      // operations that wait in streams
)

// Order is the order in which the threads of a block, and the blocks of a launch, take their turns.
type Order string

// Right kernels give the same bits in any order.
const (
	Forward  Order = "forward"
	Reverse  Order = "reverse"
	Shuffled Order = "shuffled"
)

// Loaded says whether the driver's library of this process is the simulator.
func Loaded() bool { return find("grove_sim_get") != nil }

// Set changes a setting until the next Reset.
func Set(s Setting, value int64) {
	key := C.CString(string(s))
	defer C.free(unsafe.Pointer(key))
	if C.sim_set(function("grove_sim_set"), key, C.longlong(value)) != 0 {
		panic(fmt.Sprintf("sim: there is no setting %q", s))
	}
}

// SetOrder changes the order of threads and blocks until the next Reset. The seed, which the interleaving of
// streams follows as well, counts for Shuffled only.
func SetOrder(o Order, seed int64) {
	text := string(o)
	if o == Shuffled {
		text = fmt.Sprintf("%s:%d", o, seed)
	}
	key, value := C.CString("order"), C.CString(text)
	defer C.free(unsafe.Pointer(key))
	defer C.free(unsafe.Pointer(value))
	if C.sim_set_text(function("grove_sim_set_text"), key, value) != 0 {
		panic(fmt.Sprintf("sim: there is no order %q", o))
	}
}

// Count reads a counter.
func Count(c Counter) int64 { return get(string(c)) }

// LaunchesOf counts the launches of one kernel.
func LaunchesOf(kernel string) int64 { return get("launches." + kernel) }

// Check examines all allocations and freed memory now and returns how many new mistakes were found.
func Check() int64 { return get("check") }

// LastFinding returns the last mistake that was found since the last Reset, in one line, or "".
func LastFinding() string { return text("finding") }

// DescribeLeaks names what is alive, one item a line.
func DescribeLeaks() string { return text("leaks") }

// Reset puts all settings back to those of the environment, zeroes the counters and lets contexts work again that
// a mistake has broken. What is alive stays alive.
func Reset() { C.sim_reset(function("grove_sim_reset")) }

func get(key string) int64 {
	name := C.CString(key)
	defer C.free(unsafe.Pointer(name))
	return int64(C.sim_get(function("grove_sim_get"), name))
}

func text(key string) string {
	name := C.CString(key)
	defer C.free(unsafe.Pointer(name))
	return C.GoString(C.sim_text(function("grove_sim_text"), name))
}

func find(symbol string) unsafe.Pointer {
	name := C.CString(symbol)
	defer C.free(unsafe.Pointer(name))
	return C.symbol(name)
}

func function(symbol string) unsafe.Pointer {
	f := find(symbol)
	if f == nil {
		panic("sim: the driver's library is not the simulator; see Loaded")
	}
	return f
}
