package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// inode is a file or a folder on a disk that loses what was not synced.
type inode struct {
	entries map[string]*inode // that last, of a folder; nil of a file
	now     map[string]*inode // as the process sees them
	text    string            // that lasts, of a file
	written string            // as the process sees it
}

func (n *inode) folder() bool { return n.now != nil }

// change is an operation on the names in folders that need not last yet. It lasts as a whole or not at all.
type change struct {
	dirs    []*inode
	names   []string
	targets []*inode // nil: the name is gone
}

// losing is a disk which, when the power fails, has of the names changed since their folder was synced any
// selection, and of a file written since it was synced all or nothing.
type losing struct {
	disk
	at        string // its root
	root      *inode
	pending   []change
	syncs     int  // so far
	ignored   int  // the sync that does nothing, counted from 0; -1: none
	exchanges bool // whether folders can be exchanged
}

// newLosing takes what is below a folder for what lasts.
func newLosing(t *testing.T, at string, ignored int, exchanges bool) *losing {
	t.Helper()
	var load func(path string) *inode
	load = func(path string) *inode {
		entries, err := os.ReadDir(path)
		if err != nil {
			text := read(t, path)
			return &inode{text: text, written: text}
		}
		n := &inode{entries: map[string]*inode{}}
		for _, e := range entries {
			n.entries[e.Name()] = load(filepath.Join(path, e.Name()))
		}
		n.now = maps.Clone(n.entries)
		return n
	}
	return &losing{disk: system{}, at: at, root: load(at), ignored: ignored, exchanges: exchanges}
}

// find returns the folder of a path and the last name in it.
func (l *losing) find(path string) (*inode, string) {
	rest, err := filepath.Rel(l.at, path)
	if err != nil || rest == ".." || strings.HasPrefix(rest, "../") {
		panic("outside of the disk: " + path)
	}
	n := l.root
	parts := strings.Split(filepath.ToSlash(rest), "/")
	for _, part := range parts[:len(parts)-1] {
		n = n.now[part]
	}
	return n, parts[len(parts)-1]
}

func (l *losing) inodeAt(path string) *inode {
	if path == l.at {
		return l.root
	}
	dir, name := l.find(path)
	return dir.now[name]
}

// name notes that names are given to inodes, alternating paths and what they name.
func (l *losing) name(paths []string, targets ...*inode) {
	var c change
	for i, path := range paths {
		dir, name := l.find(path)
		c.dirs, c.names, c.targets = append(c.dirs, dir), append(c.names, name), append(c.targets, targets[i])
	}
	c.apply(func(n *inode) map[string]*inode { return n.now })
	l.pending = append(l.pending, c)
}

func (c change) apply(of func(*inode) map[string]*inode) {
	for i, dir := range c.dirs {
		if c.targets[i] == nil {
			delete(of(dir), c.names[i])
		} else {
			of(dir)[c.names[i]] = c.targets[i]
		}
	}
}

// synced counts a sync and reports whether it is done.
func (l *losing) synced() bool {
	l.syncs++
	return l.syncs-1 != l.ignored
}

func (l *losing) create(path string) (diskFile, error) {
	file, err := l.disk.create(path)
	if err != nil {
		return nil, err
	}
	n := &inode{}
	l.name([]string{path}, n)
	return losingFile{file, l, n}, nil
}

func (l *losing) mkdir(path string) error {
	err := l.disk.mkdir(path)
	if err == nil {
		l.name([]string{path}, &inode{entries: map[string]*inode{}, now: map[string]*inode{}})
	}
	return err
}

func (l *losing) link(from, to string) error {
	err := l.disk.link(from, to)
	if err == nil {
		l.name([]string{to}, l.inodeAt(from))
	}
	return err
}

func (l *losing) rename(from, to string) error {
	moved := l.inodeAt(from)
	err := l.disk.rename(from, to)
	if err == nil {
		l.name([]string{from, to}, nil, moved)
	}
	return err
}

func (l *losing) exchange(a, b string) error {
	if !l.exchanges {
		return errNoExchange
	}
	x, y := l.inodeAt(a), l.inodeAt(b)
	err := l.disk.exchange(a, b)
	if err == nil {
		l.name([]string{a, b}, y, x)
	}
	return err
}

func (l *losing) remove(path string) error {
	err := l.disk.remove(path)
	if err == nil {
		l.name([]string{path}, nil)
	}
	return err
}

func (l *losing) sync(dir string) error {
	if !strings.HasPrefix(dir, l.at) || !l.synced() {
		return nil
	}
	n := l.inodeAt(dir)
	l.pending = slices.DeleteFunc(l.pending, func(c change) bool {
		if !slices.Contains(c.dirs, n) {
			return false
		}
		c.apply(func(n *inode) map[string]*inode { return n.entries })
		return true
	})
	return nil
}

type losingFile struct {
	diskFile
	on *losing
	n  *inode
}

func (f losingFile) Write(p []byte) (int, error) {
	n, err := f.diskFile.Write(p)
	f.n.written += string(p[:n])
	return n, err
}

func (f losingFile) Sync() error {
	if f.on.synced() {
		f.n.text = f.n.written
	}
	return nil
}

// failures visits what the disk may hold below its root after the power has failed now.
func (l *losing) failures(visit func(files)) {
	n := len(l.pending)
	selections := []uint{0, 1<<n - 1}
	if n <= 8 {
		selections = selections[:0]
		for s := range uint(1) << n {
			selections = append(selections, s)
		}
	} else {
		for i := range n { // one alone, all but one, all up to one, all from one on
			selections = append(selections, 1<<i, (1<<n-1)&^(1<<i), 1<<i-1, (1<<n-1)&^(1<<i-1))
		}
	}
	for _, selection := range selections {
		lasting := map[*inode]map[string]*inode{}
		of := func(n *inode) map[string]*inode {
			if lasting[n] == nil {
				lasting[n] = maps.Clone(n.entries)
			}
			return lasting[n]
		}
		for i, c := range l.pending {
			if selection>>i&1 == 1 {
				c.apply(of)
			}
		}
		for _, all := range []bool{false, true} {
			held := files{}
			var walk func(prefix string, n *inode)
			walk = func(prefix string, n *inode) {
				for name, child := range of(n) {
					switch {
					case child.folder():
						walk(prefix+name+"/", child)
					case all:
						held[prefix+name] = child.written
					default:
						held[prefix+name] = child.text
					}
				}
			}
			walk("", l.root)
			visit(held)
		}
	}
}

// below returns the files of a folder; nil where there is none.
func (f files) below(dir string) files {
	var some files
	for name, text := range f {
		if rest, ok := strings.CutPrefix(name, dir+"/"); ok {
			if some == nil {
				some = files{}
			}
			some[rest] = text
		}
	}
	return some
}

// scene is something that is written onto a disk that fails.
type scene struct {
	name   string
	before files
	write  func(d disk, root string) error
	good   func(held files, done bool) bool // whether a disk may look so, once the writer is done or before
}

func scenes() []scene {
	was := files{"a.part": "old a", "b.part": "old b", "sub/c.part": "old c"}
	is := files{"a.part": "new a", "sub/d.part": "new d"}
	kept := func(f files) files {
		f = maps.Clone(f)
		f["notes"] = "mine"
		return f
	}
	before := files{"other": "x"}
	for name, text := range kept(was) {
		before["f/"+name] = text
	}
	file := func(old string) func(files, bool) bool {
		return func(held files, done bool) bool {
			text, there := held["f"]
			return text == "new" || !done && (there && text == old || !there && old == "")
		}
	}
	folder := func(d disk, root string) error { return writeFolder(d, filepath.Join(root, "f"), is) }
	return []scene{
		{"a new file", files{"other": "x"}, func(d disk, root string) error {
			return writeOn(d, filepath.Join(root, "f"), text("new"))
		}, file("")},
		{"a file that is replaced", files{"f": "old"}, func(d disk, root string) error {
			return writeOn(d, filepath.Join(root, "f"), text("new"))
		}, file("old")},
		{"a new folder", files{"other": "x"}, func(d disk, root string) error {
			return writeFolder(d, filepath.Join(root, "deep", "f"), is)
		}, func(held files, done bool) bool {
			there := held.below("deep/f")
			return maps.Equal(there, is) || !done && there == nil
		}},
		{"a folder that is replaced", before, folder, func(held files, done bool) bool {
			there := held.below("f")
			return maps.Equal(there, kept(is)) || !done && maps.Equal(there, kept(was))
		}},
		{"a folder that cannot be exchanged", before, folder, func(held files, done bool) bool {
			there, aside := held.below("f"), held.below(".f.grove-replaced")
			return maps.Equal(there, kept(is)) || !done && (maps.Equal(there, kept(was)) ||
				there == nil && (maps.Equal(aside, kept(was)) || maps.Equal(aside, kept(is))))
		}},
	}
}

// fails lets the power fail after every operation of the writer, and also after those of a second one that comes
// when the first was killed. It returns how many syncs there were and what disks were found that must not be.
func (s scene) fails(t *testing.T, ignored int) (syncs int, bad []string) {
	exchanges := !strings.Contains(s.name, "cannot")
	dead := errors.New("")
	for first := 0; dead != nil; first++ { // operations until the first writer is killed
		var again error = errCrash
		for second := 0; again != nil; second++ {
			root := tree(t)
			put(t, root, s.before)
			disk := newLosing(t, root, ignored, exchanges)
			left := first
			dead = s.write(breaking{disk, &left}, root)
			again = nil
			if dead != nil && second > 0 {
				left = second - 1
				again = s.write(breaking{disk, &left}, root)
				syncs = max(syncs, disk.syncs)
			} else if dead != nil {
				again = errCrash
			}
			done := dead == nil || second > 0 && again == nil
			disk.failures(func(held files) {
				if !s.good(held, done) && len(bad) < 3 {
					bad = append(bad, fmt.Sprintf("after %d and %d operations (%v, %v): %v", first, second, dead, again, held))
				}
			})
			if ignored >= 0 && bad != nil {
				return syncs, bad
			}
			if done {
				syncs = max(syncs, disk.syncs)
				checkNothingLeft(t, root)
			}
			if err := os.RemoveAll(root); err != nil {
				t.Fatal(err)
			}
		}
	}
	return syncs, bad
}

// tree makes a folder, in memory where the system has a place for that: there will be thousands.
func tree(t *testing.T) string {
	root, err := os.MkdirTemp("/dev/shm", "grove")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	return root
}

// checkNothingLeft fails if a temporary file or folder is there.
func checkNothingLeft(t *testing.T, root string) {
	t.Helper()
	_ = filepath.WalkDir(root, func(path string, _ fs.DirEntry, _ error) error {
		if strings.HasPrefix(filepath.Base(path), ".") {
			t.Errorf("%s is left", path)
		}
		return nil
	})
}

// Whenever the power fails, there is what was before or what was written, as a whole; once the writer is done, what
// was written. Without any one of the syncs that would not be so.
func TestPowerFailsAtEveryOperation(t *testing.T) {
	for _, s := range scenes() {
		t.Run(s.name, func(t *testing.T) {
			syncs, bad := s.fails(t, -1)
			for _, b := range bad {
				t.Error(b)
			}
			if syncs < 2 {
				t.Errorf("%d syncs", syncs)
			}
			for i := range syncs {
				if _, bad := s.fails(t, i); bad == nil {
					t.Errorf("sync %d of %d can be left out", i, syncs)
				}
			}
		})
	}
}
