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
	*(void **)&b->gemm_ex = dlsym(b->library, "cublasGemmEx");
	if (!b->create || !b->destroy || !b->version || !b->set_stream || !b->sgemm || !b->gemm_ex) return -1;
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

// cuBLAS counts columns first, so the product is written as C' = op(B)' op(A)'. compute is 0 for float32, else
// the way to round (cublasComputeType_t).
static int blas_multiply(blas *b, int trans_a, int trans_b, int m, int n, int k, float alpha, uint64_t a, uint64_t x,
	float beta, uint64_t c, int compute) {
	int lda = trans_a ? m : k, ldb = trans_b ? k : n;
	const float *pa = (const float *)(uintptr_t)a, *pb = (const float *)(uintptr_t)x;
	float *pc = (float *)(uintptr_t)c;
	if (!compute) return b->sgemm(b->handle, trans_b, trans_a, n, m, k, &alpha, pb, ldb, pa, lda, &beta, pc, n);
	return b->gemm_ex(b->handle, trans_b, trans_a, n, m, k, &alpha, pb, 0, ldb, pa, 0, lda, &beta, pc, 0, n, compute, -1);
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
}

// The environment variable GROVE_CUBLAS=off makes the engine multiply with its own kernels.
const blasVariable = "GROVE_CUBLAS"

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
		b := &blas{name: name}
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

// The ways in which cuBLAS rounds the factors of a product of float32 (cublasComputeType_t).
const (
	computeFastBFloat16 = 75
	computeFastTF32     = 77
)

// multiply enqueues a product that is not empty.
func (b *blas) multiply(p *product[float32], precision engine.Precision) error {
	compute := map[engine.Precision]C.int{engine.TF32: computeFastTF32, engine.BFloat16: computeFastBFloat16}[precision]
	status := C.blas_multiply(&b.library, C.int(p.transA), C.int(p.transB), C.int(p.m), C.int(p.n), C.int(p.k),
		C.float(p.alpha), C.uint64_t(p.a.address), C.uint64_t(p.b.address), C.float(p.beta), C.uint64_t(p.c.address), compute)
	if status != 0 {
		return fmt.Errorf("cuBLAS (%s): status %d; set %s=off to do without it", b.name, int(status), blasVariable)
	}
	return nil
}
