/*
 * Found before the cuda.h of the CUDA toolkit, which it includes, when gorgonia.org/cu is compiled
 * (CGO_CFLAGS="-I<this folder> -I<the toolkit's>"), so that the binding, written against CUDA 11, builds with CUDA 11,
 * 12 and 13. It is a folder on the search path and no forced include because Go gives CGO_CFLAGS to its own
 * C and assembly files, too.
 *
 * cuda.h names the newest version of each function by a macro. Where a newer version takes other arguments, the
 * macro is taken back here and the older version, which drivers go on exporting, is declared instead. Functions
 * that a newer driver alone exports under the newer name are taken back as well, so that a program built with
 * new headers runs on an old driver.
 */
#ifndef GROVE_COMPAT_CUDA_H
#define GROVE_COMPAT_CUDA_H

#include_next <cuda.h>

#if CUDA_VERSION < 11000
#error "cuda.h is older than CUDA 11.0: point CUDA_HOME at a newer toolkit"
#endif

/* 12.8: the same arguments under a new name that older drivers do not export. */
#ifdef cuEventElapsedTime
#undef cuEventElapsedTime
CUresult CUDAAPI cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end);
#endif

#if CUDA_VERSION >= 13000

#undef cuDeviceGetUuid
CUresult CUDAAPI cuDeviceGetUuid(CUuuid *uuid, CUdevice device);

/* 13.0 added creation parameters. */
#undef cuCtxCreate
#define cuCtxCreate cuCtxCreate_v2
CUresult CUDAAPI cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device);

/* 13.0 replaced the device by a location. */
#undef cuMemAdvise
CUresult CUDAAPI cuMemAdvise(CUdeviceptr address, size_t count, CUmem_advise advice, CUdevice device);
#undef cuMemPrefetchAsync
CUresult CUDAAPI cuMemPrefetchAsync(CUdeviceptr address, size_t count, CUdevice device, CUstream stream);

/* 13.0 added data of the edges. */
#undef cuGraphAddDependencies
CUresult CUDAAPI cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count);
#undef cuGraphGetEdges
CUresult CUDAAPI cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count);

/*
 * Texture and surface references and the configuration of shared memory banks have been deprecated for long.
 * The binding refers to them; these declarations agree with those of a cuda.h that still has them, and stand in
 * for them in one that does not. A driver without the functions answers CUDA_ERROR_NOT_FOUND.
 */
typedef struct CUtexref_st *CUtexref;
typedef struct CUsurfref_st *CUsurfref;

#undef cuTexRefSetAddress
#define cuTexRefSetAddress cuTexRefSetAddress_v2
#undef cuTexRefSetAddress2D
#define cuTexRefSetAddress2D cuTexRefSetAddress2D_v3
#undef cuTexRefGetAddress
#define cuTexRefGetAddress cuTexRefGetAddress_v2
CUresult CUDAAPI cuTexRefSetArray(CUtexref reference, CUarray array, unsigned int flags);
CUresult CUDAAPI cuTexRefSetAddress(size_t *offset, CUtexref reference, CUdeviceptr address, size_t bytes);
CUresult CUDAAPI cuTexRefSetAddress2D(CUtexref reference, const CUDA_ARRAY_DESCRIPTOR *layout, CUdeviceptr address,
                                      size_t pitch);
CUresult CUDAAPI cuTexRefSetFormat(CUtexref reference, CUarray_format format, int components);
CUresult CUDAAPI cuTexRefSetAddressMode(CUtexref reference, int dimension, CUaddress_mode mode);
CUresult CUDAAPI cuTexRefSetFilterMode(CUtexref reference, CUfilter_mode mode);
CUresult CUDAAPI cuTexRefSetMipmapFilterMode(CUtexref reference, CUfilter_mode mode);
CUresult CUDAAPI cuTexRefSetMipmapLevelBias(CUtexref reference, float bias);
CUresult CUDAAPI cuTexRefSetMipmapLevelClamp(CUtexref reference, float smallest, float largest);
CUresult CUDAAPI cuTexRefSetMaxAnisotropy(CUtexref reference, unsigned int ratio);
CUresult CUDAAPI cuTexRefSetBorderColor(CUtexref reference, float *color);
CUresult CUDAAPI cuTexRefSetFlags(CUtexref reference, unsigned int flags);
CUresult CUDAAPI cuTexRefGetAddress(CUdeviceptr *address, CUtexref reference);
CUresult CUDAAPI cuTexRefGetArray(CUarray *array, CUtexref reference);
CUresult CUDAAPI cuTexRefGetAddressMode(CUaddress_mode *mode, CUtexref reference, int dimension);
CUresult CUDAAPI cuTexRefGetFilterMode(CUfilter_mode *mode, CUtexref reference);
CUresult CUDAAPI cuTexRefGetFormat(CUarray_format *format, int *components, CUtexref reference);
CUresult CUDAAPI cuTexRefGetMaxAnisotropy(int *ratio, CUtexref reference);
CUresult CUDAAPI cuTexRefGetBorderColor(float *color, CUtexref reference);
CUresult CUDAAPI cuTexRefGetFlags(unsigned int *flags, CUtexref reference);
CUresult CUDAAPI cuSurfRefSetArray(CUsurfref reference, CUarray array, unsigned int flags);
CUresult CUDAAPI cuSurfRefGetArray(CUarray *array, CUsurfref reference);
CUresult CUDAAPI cuCtxGetSharedMemConfig(CUsharedconfig *configuration);
CUresult CUDAAPI cuCtxSetSharedMemConfig(CUsharedconfig configuration);
CUresult CUDAAPI cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig configuration);

#endif /* CUDA 13 */

#endif
