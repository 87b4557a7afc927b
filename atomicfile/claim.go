package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"sync"
)

var (
	errHeld    = errors.New("another process is writing it")
	errGone    = errors.New("it was removed by another process")
	errNoLocks = errors.New("the file system has no locks")
)

// claim is a temporary file or folder of this process, which it holds by a lock that ends with the process.
type claim struct {
	path string
	lock *os.File // nil where the file system has no locks
}

// hold claims what this process has just made at path.
func hold(path string) (*claim, error) {
	file, err := lockPath(path)
	if err != nil && !errors.Is(err, errNoLocks) {
		return nil, err
	}
	c := &claim{path, file}
	underway.mutex.Lock()
	defer underway.mutex.Unlock()
	if underway.claims == nil {
		underway.claims = map[*claim]bool{}
	}
	underway.claims[c] = true
	return c, nil
}

// lost reports whether another process took what this one has just made for what a dead one had left.
func lost(err error) bool {
	return errors.Is(err, errHeld) || errors.Is(err, errGone) || errors.Is(err, fs.ErrNotExist)
}

// lockPath locks the file or folder at path until what it returns is closed. It fails with errHeld where another
// process has the lock, and with errNoLocks where there are none.
func lockPath(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|openOnly, 0)
	if err != nil {
		return nil, err
	}
	err = lock(file)
	if err == nil { // whoever had the lock until now may have removed or renamed it
		mine, errMine := file.Stat()
		there, errThere := os.Lstat(path)
		if errors.Join(errMine, errThere) != nil || !os.SameFile(mine, there) {
			err = errGone
		}
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// release gives the claim up.
func (c *claim) release() {
	underway.mutex.Lock()
	delete(underway.claims, c)
	underway.mutex.Unlock()
	if c.lock != nil {
		_ = c.lock.Close()
	}
}

// finish puts in place what was claimed. [Abandon] does not come in between.
func (c *claim) finish(put func() error) error {
	underway.mutex.Lock()
	defer underway.mutex.Unlock()
	delete(underway.claims, c)
	return put()
}

// underway are the claims of this process, of whom [Abandon] must know whatever goroutine made them.
var underway struct {
	mutex  sync.Mutex
	claims map[*claim]bool
}

// Abandon removes what this process has begun and not yet put in place. After it the process must end: whatever
// would still be put in place waits for ever. It is for a process that ends without waiting for its work.
func Abandon() {
	underway.mutex.Lock()
	for c := range underway.claims {
		_ = os.RemoveAll(c.path)
	}
}
