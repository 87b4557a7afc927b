package main

import (
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const source = `
# 1 "kernels.cu"
template <class T> __device__ void scale(T *y, T a, long long n) { }
extern "C" __global__ void scale_f64(double *__restrict__ y, double a, long long n) { scale(y, a, n); }
extern "C" __global__ void __launch_bounds__(256, (2)) scale_f32(float *__restrict__ y, float a, long long n) { scale(y,
	a, n); }
extern "C" __global__ __launch_bounds__(128)
void count_rows(const int * const row_ptr, unsigned char *type, long long *out,
                int n) { }
`

func TestEntryPointsAreFound(t *testing.T) {
	entries, err := parse(source)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, e := range entries {
		got[e.name] = e.signature()
	}
	want := map[string]string{"scale_f32": "pfl", "scale_f64": "pdl", "count_rows": "pppi"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if p := entries[0].parameters; p[0] != (parameter{"row_ptr", 'p', 'i'}) || p[1].element != 'b' || p[2].element != 'l' {
		t.Errorf("%v", p)
	}
}

func TestSourcesThatAreRefused(t *testing.T) {
	for text, complaint := range map[string]string{
		``: "no entry point",
		`template <class T> __global__ void k(T *y) {}`:       "not extern",
		`extern "C" __global__ void k(float *) {}`:            "has no name",
		`extern "C" __global__ void k(unsigned n) {}`:         "want a pointer to float",
		`extern "C" __global__ void k(bool *p) {}`:            "want a pointer to float",
		`extern "C" __global__ void k(float **p) {}`:          "want a pointer to float",
		`extern "C" __global__ void k(unsigned char c) {}`:    "want a pointer to float",
		`extern "C" __global__ void k(struct shape shape) {}`: "want a pointer to float",
	} {
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), complaint) {
			t.Errorf("%q: %v, want %q", text, err, complaint)
		}
	}
}

func TestLaunchFunctionsAreGo(t *testing.T) {
	entries, err := parse(source)
	if err != nil {
		t.Fatal(err)
	}
	out, err := launchFunctions(entries, outputs["launch"])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "kernels_gen.go", out, parser.AllErrors); err != nil {
		t.Error(err)
	}
	for _, part := range []string{
		`{"count_rows", "pppi"},`,
		"func (s *stream) countRows(g grid, rowPtr pointer[int32], typeArgument pointer[uint8], out pointer[int64], n " +
			"int32) error {",
		"return s.launch(kernelCountRows, g, rowPtr.address, typeArgument.address, out.address, uint64(uint32(n)))",
		"func scale[T real](s *stream, g grid, y pointer[T], a T, n int64) error {",
		"either[T](kernelScaleF32, kernelScaleF64)",
	} {
		if !strings.Contains(string(out), part) {
			t.Errorf("%s lacks %s", out, part)
		}
	}
	if strings.Contains(string(out), "scaleF64") {
		t.Errorf("%s has a method for a kernel that the generic function launches", out)
	}
	table, err := readTable(string(out))
	if err != nil || len(table) != 3 || table["scale_f64"] != "pdl" {
		t.Errorf("the table reads as %v, %v", table, err)
	}
}

func TestKernelsForSeveralModels(t *testing.T) {
	const text = `template <class T> __device__ void scale(T *y, T a, long long n) { }
extern "C" __global__ void __launch_bounds__(256) scale_f32(const float *__restrict__ y, float a, long long n) {
	DYNAMIC_SHARED(float, at); const int e[] = {1, 2}; if (a > 0) { scale(y, a, n); } }
extern "C" __global__ void pick_f64(double *y, double a, int n) { for (int i = 0; i < n; i++) y[i] = a; }`
	out, err := modelKernels(text, map[string]manner{"scale_f32": loops, "pick_f64": indexes})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`
extern "C" __global__ void pick_f64_models(const long long *table) {
    const long long *row = table + blockIdx.z * 4;
    if (blockIdx.x >= (unsigned)row[0]) return;
    if (blockIdx.y >= (unsigned)(row[0] >> 32)) return;
    double *y = reinterpret_cast<double *>(row[1]);
    double a = __longlong_as_double(row[2]);
    int n = (int)row[3];
    for (int i = 0; i < n; i++) y[i] = a;
}
`, `
extern "C" __global__ void __launch_bounds__(256, 1)
scale_f32_models(const long long *table) {
    const long long *row = table + blockIdx.z * 4;
    if (blockIdx.y >= (unsigned)(row[0] >> 32)) return;
    const float *__restrict__ y = reinterpret_cast<const float *>(row[1]);
    float a = __int_as_float((int)row[2]);
    long long n = row[3];
    DYNAMIC_SHARED(float, at);
    const int e[] = {1, 2};
    if (a > 0) {
        scale(y, a, n);
    }
}
`} {
		if !strings.Contains(string(out), part) {
			t.Errorf("%s lacks %s", out, part)
		}
	}
	if _, err := modelKernels(text, map[string]manner{"lost_f32": loops}); err == nil {
		t.Error("a twin of a kernel that does not exist")
	}
}

func TestTwinsMustAgree(t *testing.T) {
	for _, double := range []string{
		`extern "C" __global__ void k_f64(double *y, int m, double a) {}`,
		`extern "C" __global__ void k_f64(double *y, long long n, double a) {}`,
		`extern "C" __global__ void k_f64(double *y, int n) {}`,
	} {
		entries, err := parse(`extern "C" __global__ void k_f32(float *y, int n, float a) {}` + double)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := launchFunctions(entries, outputs["launch"]); err == nil {
			t.Errorf("%s: accepted", double)
		}
	}
}

func TestWhatTwinsShareKeepsItsType(t *testing.T) {
	entries, err := parse(`extern "C" __global__ void k_f32(float *y, float *sum, double rate, float a) {}
extern "C" __global__ void k_f64(double *y, float *sum, double rate, double a) {}`)
	if err != nil {
		t.Fatal(err)
	}
	out, err := launchFunctions(entries, outputs["launch"])
	if want := "func k[T real](s *stream, g grid, y pointer[T], sum pointer[float32], rate float64, a T) error " +
		"{"; err != nil || !strings.Contains(string(out), want) {
		t.Errorf("%s, %v lacks %s", out, err, want)
	}
}

func TestResourceReport(t *testing.T) {
	report, err := resources(`ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'b_f32' for 'sm_90'
ptxas info    : Function properties for b_f32
    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 40 registers, 256 bytes smem, 360 bytes cmem[0]
ptxas info    : Compiling entry function 'a_f32' for 'sm_90'
ptxas info    : Function properties for a_f32
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 255 registers
`)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(report), "\n")
	if got := strings.Fields(lines[len(lines)-1]); !reflect.DeepEqual(got, []string{"b_f32", "sm_90", "40", "16", "8",
		"12", "256"}) {
		t.Errorf("%q", got)
	}
	if !strings.HasPrefix(lines[len(lines)-2], "a_f32") {
		t.Errorf("not sorted: %q", lines)
	}
	if _, err := resources("nothing"); err == nil {
		t.Error("a report of nothing")
	}
}

func TestFatbinIsComparedWithTheTable(t *testing.T) {
	for _, tool := range []string{"nvcc", "cuobjdump"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("needs nvcc and cuobjdump")
		}
	}
	folder := t.TempDir()
	file, fatbin := filepath.Join(folder, "k.cu"), filepath.Join(folder, "k.fatbin")
	kernel := `extern "C" __global__ void store_f32(float *y, const int *x, int n, long long m, double d) ` +
		`{ y[m] = x[n] + d; }`
	if err := os.WriteFile(file, []byte(kernel), 0o600); err != nil {
		t.Fatal(err)
	}
	compile := exec.Command("nvcc", "-fatbin", "-gencode", "arch=compute_70,code=compute_70", "-gencode",
		"arch=compute_80,code=sm_80",
		"-gencode", "arch=compute_90,code=[sm_90,compute_90]", "-o", fatbin, file)
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	architectures := []string{"ptx", "ptx_90", "sm_80", "sm_90"}
	for signature, complaint := range map[string]string{"ppild": "", "ppil": "has parameters of [8 8 4 8 8] bytes",
		"ppiif": "has parameters"} {
		var out strings.Builder
		err := verify(fatbin, architectures, map[string]string{"store_f32": signature}, &out)
		if complaint == "" && err != nil || complaint != "" && (err == nil || !strings.Contains(err.Error(), complaint)) {
			t.Errorf("%s: %v, want %q", signature, err, complaint)
		}
		if complaint != "" && strings.Count(err.Error(), "store_f32") != len(architectures) {
			t.Errorf("not for each architecture: %v", err)
		}
	}
	err := verify(fatbin, architectures, map[string]string{"store_f32": "ppild", "load_f32": "p"}, &strings.Builder{})
	if err == nil || !strings.Contains(err.Error(), "kernel load_f32 is missing for sm_80") {
		t.Error(err)
	}
	err = verify(fatbin, architectures, map[string]string{"load_f32": "p"}, &strings.Builder{})
	if err == nil || !strings.Contains(err.Error(), "store_f32 for ptx is not in the table") {
		t.Error(err)
	}
}
