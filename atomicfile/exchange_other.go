//go:build !linux && !darwin

package atomicfile

func exchange(string, string) error { return errNoExchange }
