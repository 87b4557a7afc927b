/*
 * The forwarding layer: a static library that takes the place of libcuda when a program with the tag gpu is
 * linked. Its functions have the driver's names; each opens the driver library of the machine at its first
 * call and jumps to the function of the same name. So one program runs on machines with and without a GPU.
 *
 * The functions themselves are in trampolines.S. Where there is no driver library they return
 * CUDA_ERROR_NO_DEVICE, and where it lacks a single function that one returns CUDA_ERROR_NOT_FOUND. Only
 * cuInit is written here: it always answers success, because the Go binding calls it while the program starts
 * and ends the program otherwise. What the driver really answered is what grove_driver_result returns.
 */
#define _GNU_SOURCE
#include "forward.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

enum { SUCCESS = 0, NO_DEVICE = 100, NOT_FOUND = 500 };

static const char *const names[] = {
#define SYMBOL(index, name) [index] = #name,
#include "symbols.inc"
#undef SYMBOL
};

/* The addresses that the trampolines jump to; NULL before the first call. */
__attribute__((visibility("hidden"))) void *grove_driver_table[sizeof names / sizeof names[0]];

static pthread_once_t opening = PTHREAD_ONCE_INIT;
static void *library;
static int init_result = -1;
static char message[512];
static char path[1024];

static void open_library(void)
{
	library = dlopen(GROVE_DRIVER_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (library == NULL) {
		const char *reason = dlerror();
		strncpy(message, reason != NULL ? reason : "dlopen failed", sizeof message - 1);
		return;
	}
	struct link_map *map;
	if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map->l_name != NULL)
		strncpy(path, map->l_name, sizeof path - 1);
	int (*init)(unsigned) = (int (*)(unsigned))dlsym(library, "cuInit");
	init_result = init != NULL ? init(0) : NOT_FOUND;
}

static int no_device(void) { return NO_DEVICE; }
static int not_found(void) { return NOT_FOUND; }

/* Called by a trampoline whose address is not known yet; never returns NULL. */
__attribute__((visibility("hidden"))) void *grove_driver_resolve(unsigned index)
{
	pthread_once(&opening, open_library);
	void *target = (void *)no_device;
	if (library != NULL) {
		target = dlsym(library, names[index]);
		if (target == NULL)
			target = (void *)not_found;
	}
	__atomic_store_n(&grove_driver_table[index], target, __ATOMIC_RELEASE);
	return target;
}

int cuInit(unsigned flags)
{
	(void)flags;
	pthread_once(&opening, open_library);
	return SUCCESS;
}

int grove_driver_result(void)
{
	pthread_once(&opening, open_library);
	return init_result;
}

const char *grove_driver_path(void)
{
	pthread_once(&opening, open_library);
	return path[0] != 0 ? path : NULL;
}

const char *grove_driver_message(void)
{
	pthread_once(&opening, open_library);
	return message[0] != 0 ? message : NULL;
}

void *grove_driver_symbol(const char *name)
{
	pthread_once(&opening, open_library);
	return library != NULL ? dlsym(library, name) : NULL;
}
