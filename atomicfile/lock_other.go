//go:build !unix

package atomicfile

import "os"

func lock(*os.File) error { return errNoLocks }

// syncFolder does nothing: the names in a folder cannot be synced here.
func syncFolder(string) error { return nil }
