//go:build !amd64

package simd

// supported returns the best level that this machine can run.
func supported() level { return portable }
