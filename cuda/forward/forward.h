/* What the forwarding layer knows about the CUDA driver of this machine. */
#ifndef GROVE_FORWARD_H
#define GROVE_FORWARD_H

/* The library that is opened at the first call of a driver function. */
#define GROVE_DRIVER_LIBRARY "libcuda.so.1"

/* grove_driver_result returns what the driver's cuInit answered, 0 being success, or -1 where there is no
 * driver library. */
int grove_driver_result(void);

/* grove_driver_path returns the file that the driver library was loaded from, or NULL. */
const char *grove_driver_path(void);

/* grove_driver_message says why there is no driver library, or returns NULL. */
const char *grove_driver_message(void);

/* grove_driver_symbol returns the address of a symbol of the driver library, or NULL. */
void *grove_driver_symbol(const char *name);

#endif
