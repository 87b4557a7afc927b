package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Folder is a folder of several files that is being made. [Folder.Commit] puts it in place in one step; until then
// nothing of it is to be seen, and what was there before is untouched.
type Folder struct {
	disk     disk
	name     string // as the caller knows it
	path     string // links resolved
	parts    []string
	replaces func(name string) bool
	claim    *claim
	exists   fs.FileInfo // of the folder that is replaced, nil for none
	old      *os.File    // its lock, nil where there are none
	parents  []string    // made for it
	made     []string    // the parts that were made
	files    []string    // that were written
	placed   bool        // what is being made has its name already
}

// UnfitError says why a place is not fit for a folder that is to be put there. Another place will do.
type UnfitError struct{ reason string }

func (e *UnfitError) Error() string { return e.reason }

func unfit(format string, values ...any) error { return &UnfitError{fmt.Sprintf(format, values...)} }

// NewFolder begins a folder that is to be at path. Parents are made if need be, a symbolic link is followed.
//
// Where there is a folder already, replaces says which of its files the new one does without, by their names with
// slashes; all other files are taken over. The folders in it that are named as parts are gone through in the same
// way; one that has other folders is refused, and so is that in which the process is, which would be left behind.
//
// A folder that another process is writing is refused; what a process left that was killed while writing this one
// is removed. Discard the folder unless it was committed.
func NewFolder(path string, replaces func(name string) bool, parts ...string) (*Folder, error) {
	f, err := newFolderOn(system{}, path, replaces, parts)
	return f, named(path, err)
}

func newFolderOn(d disk, path string, replaces func(name string) bool, parts []string) (*Folder, error) {
	place, err := Resolve(path)
	if err != nil {
		return nil, err
	}
	f := &Folder{disk: d, name: path, path: place, parts: parts, replaces: replaces}
	if err := f.begin(); err != nil {
		f.Discard()
		return nil, err
	}
	return f, nil
}

// The names of a folder in the making, and of one that is being replaced where the two cannot be exchanged.
func (f *Folder) making() string {
	return filepath.Join(filepath.Dir(f.path), hidden(f.path)+"incomplete")
}
func (f *Folder) aside() string {
	return filepath.Join(filepath.Dir(f.path), hidden(f.path)+"replaced")
}

func (f *Folder) begin() error {
	if _, err := os.Lstat(f.path); err != nil {
		if err := f.makeParents(filepath.Dir(f.path)); err != nil {
			return err
		}
	}
	if err := f.claimNew(); err != nil { // from here on no other process writes the folder
		return f.unfitPlace(err)
	}
	if err := f.recover(); err != nil {
		return err
	}
	return f.claimOld()
}

// makeParents makes the folder dir and those above it. Each lasts before something is put into it, also where a
// process that was killed has made it.
func (f *Folder) makeParents(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err == nil && !info.IsDir():
		return unfit("%s is a file, not a folder", dir)
	case missing(err):
		if err := f.makeParents(filepath.Dir(dir)); err != nil {
			return err
		}
		if err := f.disk.mkdir(dir); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		f.parents = append(f.parents, dir)
	case err != nil:
		return err
	}
	return f.disk.sync(filepath.Dir(dir))
}

// unfitPlace explains why nothing can be made beside a folder that is there.
func (f *Folder) unfitPlace(err error) error {
	if info, there := os.Stat(f.path); there != nil || !info.IsDir() || !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return unfit("a folder of several files is put in place as a whole, and the folder around it cannot be written to: " +
		"name a folder in it")
}

// recover finishes, or takes back, the replacement that a dead process was about where it could not exchange folders.
func (f *Folder) recover() error {
	lock, err := lockPath(f.aside())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil && !errors.Is(err, errNoLocks):
		return err
	case lock != nil:
		defer lock.Close()
	}
	if _, err := os.Lstat(f.path); errors.Is(err, fs.ErrNotExist) {
		return errors.Join(f.disk.rename(f.aside(), f.path), f.disk.sync(filepath.Dir(f.path)))
	}
	return f.remove(f.aside())
}

// remove removes what a dead process has left, which may be what it replaced: that must last first.
func (f *Folder) remove(left string) error {
	if err := f.disk.sync(filepath.Dir(f.path)); err != nil {
		return err
	}
	return removeAll(f.disk, left)
}

// claimOld locks the folder that is there, if there is one, and refuses one that cannot be replaced.
func (f *Folder) claimOld() error {
	info, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.IsDir():
		return unfit("this is a file, not a folder")
	case mounted(f.path, info):
		return unfit("a folder of several files is put in place as a whole, and this is where a file system begins: name " +
			"a folder in it")
	case within(info):
		return unfit("this is the folder you are in, or one around it, and a folder of several files is put in " +
			"place as a whole: name another one")
	}
	if f.old, err = lockPath(f.path); err != nil && !errors.Is(err, errNoLocks) {
		return err
	}
	f.exists = info
	return f.others("", func(name string, entry fs.DirEntry) error {
		if err := f.takeOver(name, entry); err != nil { // tried before there is any work to lose
			return err
		}
		return f.disk.remove(filepath.Join(f.Path(), name))
	})
}

// within reports whether the process is in a folder.
func within(folder fs.FileInfo) bool {
	dir, err := os.Getwd()
	for err == nil {
		if info, err := os.Stat(dir); err == nil && os.SameFile(info, folder) {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
		dir = filepath.Dir(dir)
	}
	return false
}

// others visits the files of the folder that is there which are taken over.
func (f *Folder) others(dir string, visit func(name string, entry fs.DirEntry) error) error {
	entries, err := os.ReadDir(filepath.Join(f.path, dir))
	for _, entry := range entries {
		name := filepath.Join(dir, entry.Name())
		switch {
		case err != nil:
		case entry.IsDir() && slices.Contains(f.parts, filepath.ToSlash(name)):
			err = f.others(name, visit)
		case entry.IsDir():
			err = unfit("it holds the folder %s, which is no part of what is written: move that, or name another "+
				"folder", name)
		case !f.replaces(filepath.ToSlash(name)):
			err = visit(name, entry)
		}
	}
	return err
}

// claimNew makes the folder in which the files are written.
func (f *Folder) claimNew() error {
	for range 100 {
		err := f.disk.mkdir(f.making())
		if err == nil {
			f.claim, err = hold(f.making())
			if lost(err) {
				continue
			}
			if err != nil {
				_ = f.disk.remove(f.making())
			}
			return err
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		lock, err := lockPath(f.making())
		switch {
		case errors.Is(err, errNoLocks):
			return fmt.Errorf("another process is writing it, or was killed while writing it: then remove %s", f.making())
		case errors.Is(err, errGone) || errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err
		}
		err = f.remove(f.making())
		_ = lock.Close()
		if err != nil {
			return err
		}
	}
	return errHeld
}

// Path returns the folder in which the files are until they are put in place.
func (f *Folder) Path() string { return f.claim.path }

// File writes a file of the folder, which must not be there yet; its name may begin with one of the parts and a
// slash. The file is synced.
func (f *Folder) File(name string, content func(w io.Writer) error) error {
	return named(filepath.Join(f.name, filepath.FromSlash(name)), f.file(name, content))
}

func (f *Folder) file(name string, content func(w io.Writer) error) error {
	if f.claim == nil {
		return fs.ErrClosed
	}
	path := filepath.Join(f.Path(), filepath.FromSlash(name))
	if err := f.makePart(filepath.Dir(path)); err != nil {
		return err
	}
	file, err := f.disk.create(path)
	if err != nil {
		return err
	}
	f.files = append(f.files, filepath.FromSlash(name))
	err = fill(file, content)
	if err == nil {
		err = file.Sync()
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	return err
}

// makePart makes a folder in the new one, if it is not there.
func (f *Folder) makePart(dir string) error {
	if dir == f.Path() || slices.Contains(f.made, dir) {
		return nil
	}
	if err := f.makePart(filepath.Dir(dir)); err != nil {
		return err
	}
	f.made = append(f.made, dir)
	return f.disk.mkdir(dir)
}

// Commit puts the folder in place. Whatever happens, there is the old folder or the new one; if it cannot be put in
// place, it is discarded.
func (f *Folder) Commit() error {
	defer f.Discard()
	return named(f.name, f.commit())
}

func (f *Folder) commit() error {
	if f.claim == nil {
		return fs.ErrClosed
	}
	if f.exists != nil {
		if err := f.others("", f.takeOver); err != nil {
			return err
		}
		if err := f.adopt(); err != nil {
			return err
		}
	}
	for _, dir := range append(f.made, f.Path()) {
		if err := f.disk.sync(dir); err != nil {
			return err
		}
	}
	return f.claim.finish(f.put)
}

// takeOver gives a file of the old folder a second name in the new one.
func (f *Folder) takeOver(name string, entry fs.DirEntry) error {
	from, to := filepath.Join(f.path, name), filepath.Join(f.Path(), name)
	err := f.makePart(filepath.Dir(to))
	switch {
	case err != nil:
		return err
	case entry.Type()&fs.ModeSymlink != 0:
		var link string
		if link, err = os.Readlink(from); err == nil {
			err = f.disk.symlink(link, to)
		}
	default:
		err = f.disk.link(from, to)
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return unfit("it holds the file %s, which would be lost: move that, or name another folder", name)
	case err != nil:
		return unfit("it holds the file %s, which cannot be taken over (%v): move that, or name another folder", name,
			cause(err))
	}
	return nil
}

// adopt gives the new folder, and its files that were there before, the owners and permissions of the old ones.
func (f *Folder) adopt() error {
	for _, name := range f.files {
		if info, err := os.Lstat(filepath.Join(f.path, name)); err == nil && info.Mode().IsRegular() {
			if err := f.disk.adopt(filepath.Join(f.Path(), name), info); err != nil {
				return err
			}
		}
	}
	return f.disk.adopt(f.Path(), f.exists)
}

// put gives the new folder its name. What was replaced is removed when the exchange is sure to last.
func (f *Folder) put() error {
	parent := filepath.Dir(f.path)
	if f.exists == nil {
		err := f.disk.rename(f.Path(), f.path)
		if f.placed = err == nil; f.placed {
			err = f.disk.sync(parent)
		}
		return err
	}
	gone := f.Path()
	err := f.disk.exchange(f.Path(), f.path)
	if errors.Is(err, errNoExchange) {
		gone = f.aside()
		if err = f.disk.rename(f.path, gone); err == nil {
			if err = f.disk.rename(f.Path(), f.path); err != nil {
				err = errors.Join(err, f.disk.rename(gone, f.path))
			}
		}
	}
	if f.placed = err == nil; f.placed {
		err = f.disk.sync(parent)
	}
	if err != nil {
		return err
	}
	return removeAll(f.disk, gone)
}

// Discard gives up a folder that was not committed. After [Folder.Commit] it does nothing.
func (f *Folder) Discard() {
	if f.claim != nil {
		if !f.placed {
			_ = removeAll(f.disk, f.claim.path)
		}
		f.claim.release()
		f.claim = nil
	}
	if f.old != nil {
		_ = f.old.Close()
		f.old = nil
	}
	if !f.placed {
		for _, dir := range slices.Backward(f.parents) {
			_ = f.disk.remove(dir) // unless something is in it
		}
	}
}

// removeAll removes a folder with all that is in it. It is no error if it is not there.
func removeAll(d disk, dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if entry.IsDir() {
			err = errors.Join(err, removeAll(d, path))
		} else {
			err = errors.Join(err, d.remove(path))
		}
	}
	if err == nil {
		err = d.remove(dir)
	}
	return err
}
