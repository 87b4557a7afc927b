//go:build gpu

package cuda

/*
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// The calls of cuBLAS that are used; handles and streams are pointers, results are 0 for success.
typedef struct {
	void *library, *handle;
	int (*create)(void **);
	int (*destroy)(void *);
	int (*version)(void *, int *);
	int (*set_stream)(void *, void *);
	int (*sgemm)(void *, int, int, int, int, int, const float *, const float *, int, const float *, int, const float *,
		float *, int);
	int (*dgemm)(void *, int, int, int, int, int, const double *, const double *, int, const double *, int, const double *,
		double *, int);
	int (*gemm_ex)(void *, int, int, int, int, int, const void *, const void *, int, int, const void *, int, int,
		const void *, void *, int, int, int, int);
} blas;

static int blas_open(blas *b, const char *name, void *stream) {
	b->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (!b->library) return -1;
	*(void **)&b->create = dlsym(b->library, "cublasCreate_v2");
	*(void **)&b->destroy = dlsym(b->library, "cublasDestroy_v2");
	*(void **)&b->version = dlsym(b->library, "cublasGetVersion_v2");
	*(void **)&b->set_stream = dlsym(b->library, "cublasSetStream_v2");
	*(void **)&b->sgemm = dlsym(b->library, "cublasSgemm_v2");
	*(void **)&b->dgemm = dlsym(b->library, "cublasDgemm_v2");
	*(void **)&b->gemm_ex = dlsym(b->library, "cublasGemmEx");
	if (!b->create || !b->destroy || !b->version || !b->set_stream) return -1;
	if (!b->sgemm || !b->dgemm || !b->gemm_ex) return -1;
	if (b->create(&b->handle)) return -1;
	return b->set_stream(b->handle, stream);
}

static int blas_version(blas *b) {
	int v = 0;
	return b->version(b->handle, &v) ? 0 : v;
}

static void blas_close(blas *b) {
	if (b->handle) b->destroy(b->handle);
	if (b->library) dlclose(b->library);
	b->library = b->handle = 0;
}

// cuBLAS counts columns first, so the product is written as C' = op(B)' op(A)'. compute is 0 for float32, -1 for
// float64, else the way to round float32 (cublasComputeType_t).
static int blas_multiply(blas *b, int trans_a, int trans_b, int m, int n, int k, double alpha, uint64_t a, uint64_t x,
	double beta, uint64_t c, int compute) {
	int lda = trans_a ? m : k, ldb = trans_b ? k : n;
	void *pa = (void *)(uintptr_t)a, *pb = (void *)(uintptr_t)x, *pc = (void *)(uintptr_t)c;
	float alpha32 = alpha, beta32 = beta;
	switch (compute) {
	case -1: return b->dgemm(b->handle, trans_b, trans_a, n, m, k, &alpha, pb, ldb, pa, lda, &beta, pc, n);
	case 0: return b->sgemm(b->handle, trans_b, trans_a, n, m, k, &alpha32, pb, ldb, pa, lda, &beta32, pc, n);
	}
	return b->gemm_ex(b->handle, trans_b, trans_a, n, m, k, &alpha32, pb, 0, ldb, pa, 0, lda, &beta32, pc, 0, n, compute,
		-1);
}
*/
import "C"

import (
	"fmt"
	"os"
	"unsafe"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/cu"
)

// blas is cuBLAS, opened at run time, on the stream of the kernels.
type blas struct {
	library C.blas
	name    string
	least   int // multiply-adds of a product that it is asked for
}

// The environment variable GROVE_CUBLAS=off makes the engine multiply with its own kernels, and all leaves every
// product to cuBLAS.
const blasVariable = "GROVE_CUBLAS"

// largeProduct is the number of multiply-adds from which on a product goes to cuBLAS. A smaller one lasts no longer
// than a launch, and the engine's own kernel can be recorded together with the launches around it.
const largeProduct = 1 << 24

// blasNames are the libraries that have the calls above, the newest first.
var blasNames = [...]string{"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"}

// openBLAS opens the first cuBLAS of [blasLibraries] that works with the driver, on the context's thread. It returns
// nil where there is none: the engine's own kernels then do the work.
func openBLAS(s cu.Stream) *blas {
	if os.Getenv(blasVariable) == "off" {
		return nil
	}
	for _, name := range blasLibraries() {
		openBeside(name)
		b := &blas{name: name, least: largeProduct}
		if os.Getenv(blasVariable) == "all" {
			b.least = 1
		}
		c := C.CString(name)
		// cu.Stream is a struct with the handle alone, which it does not give away.
		status := C.blas_open(&b.library, c, *(*unsafe.Pointer)(unsafe.Pointer(&s)))
		C.free(unsafe.Pointer(c))
		if status == 0 {
			return b
		}
		b.close()
	}
	return nil
}

// describe names the library and its version, as in "libcublas.so.12 (120205)".
func (b *blas) describe() string {
	return fmt.Sprintf("%s (%d)", b.name, int(C.blas_version(&b.library)))
}

// close gives the library back, on the context's thread.
func (b *blas) close() {
	if b != nil {
		C.blas_close(&b.library)
	}
}

// The ways in which cuBLAS rounds the factors of a product: two that blas_multiply tells apart, and two of
// cublasComputeType_t for float32.
const (
	computeFloat64      = -1
	computeFloat32      = 0
	computeFastBFloat16 = 75
	computeFastTF32     = 77
)

// takes reports whether a product of so many multiply-adds goes to cuBLAS, where there is one.
func (b *blas) takes(m, n, k int) bool { return b != nil && m*n*k >= b.least }

// multiplyBLAS enqueues a product that is not empty.
func multiplyBLAS[T real](b *blas, p *product[T], precision engine.Precision) error {
	compute := computeFloat32
	switch {
	case size[T]() == size[float64]():
		compute = computeFloat64
	case precision == engine.TF32:
		compute = computeFastTF32
	case precision == engine.BFloat16:
		compute = computeFastBFloat16
	}
	status := C.blas_multiply(&b.library, C.int(p.transA), C.int(p.transB), C.int(p.m), C.int(p.n), C.int(p.k),
		C.double(p.alpha), C.uint64_t(p.a.address), C.uint64_t(p.b.address), C.double(p.beta), C.uint64_t(p.c.address),
		C.int(compute))
	if status != 0 {
		return fmt.Errorf("cuBLAS (%s): status %d; set %s=off to do without it", b.name, int(status), blasVariable)
	}
	return nil
}
