package dataset

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/grove-graph/grove/atomicfile"
)

// An archive of a data set holds a handful of files.
const maxArchiveFiles = 1000

// archiveError says that an archive is not what it should be.
type archiveError struct{ reason string }

func (e *archiveError) Error() string { return "the archive " + e.reason }

// unpack extracts the archive of a TU data set to a folder, which it puts in place at the end: when all files fit
// their CRC. The archives of the collection hold one folder NAME; files without a folder are accepted too. An
// entry that would leave the folder, is no plain file or exceeds the sizes it states or maxBytes is refused. verify
// says of the folder that holds the files whether they are taken.
func unpack(archive string, out *atomicfile.Folder, name string, maxBytes int64, verify func(dir string) error) error {
	reader, err := zip.OpenReader(archive)
	if err != nil {
		return &archiveError{"is damaged: " + err.Error()}
	}
	defer reader.Close()
	if len(reader.File) > maxArchiveFiles {
		return &archiveError{fmt.Sprintf("holds %d files, more than %d", len(reader.File), maxArchiveFiles)}
	}
	u := &unpacker{out: out, left: maxBytes, taken: map[string]bool{}}
	for _, entry := range reader.File {
		if strings.TrimSuffix(path.Clean(entry.Name), ".gz") == path.Join(name, name+"_A.txt") {
			u.inside = name + "/"
		}
	}
	for _, entry := range reader.File {
		if err := u.extract(entry); err != nil {
			return err
		}
	}
	if (folder{os.DirFS(out.Path()), name}).find(name+"_A.txt") == "" {
		return &archiveError{fmt.Sprintf("holds no %s_A.txt", name)}
	}
	if err := verify(out.Path()); err != nil {
		return err
	}
	if err := out.Commit(); err != nil {
		return fmt.Errorf("%s: %w", name, plainError(err))
	}
	return nil
}

// unpacker extracts the entries of an archive into a folder.
type unpacker struct {
	out    *atomicfile.Folder
	inside string // the folder of the archive that is extracted, with a slash; "" for all
	left   int64  // bytes that may still come
	taken  map[string]bool
}

// extract extracts one entry.
func (u *unpacker) extract(entry *zip.File) error {
	name := path.Clean(entry.Name)
	switch {
	case !filepath.IsLocal(filepath.FromSlash(entry.Name)):
		return &archiveError{fmt.Sprintf("holds the unsafe name %q", entry.Name)}
	case entry.FileInfo().IsDir():
		return nil
	case entry.Mode()&fs.ModeType != 0:
		return &archiveError{fmt.Sprintf("holds %q, which is no plain file", entry.Name)}
	case entry.UncompressedSize64 > uint64(max(u.left, 0)):
		return &archiveError{fmt.Sprintf("unpacks to more than the limit at %q", entry.Name)}
	case u.taken[name]:
		return &archiveError{fmt.Sprintf("holds %q twice", entry.Name)}
	}
	u.taken[name] = true
	u.left -= int64(entry.UncompressedSize64)
	name, wanted := strings.CutPrefix(name, u.inside)
	if !wanted {
		return nil
	}
	content, err := entry.Open()
	if err != nil {
		return &archiveError{fmt.Sprintf("is damaged at %q: %v", entry.Name, err)}
	}
	defer content.Close()
	err = u.out.File(name, func(w io.Writer) error {
		size, err := io.Copy(w, io.LimitReader(content, int64(entry.UncompressedSize64)+1))
		switch {
		case err != nil && isWriteError(err):
			return err
		case err != nil:
			return &archiveError{fmt.Sprintf("is damaged at %q: %v", entry.Name, err)}
		case size != int64(entry.UncompressedSize64):
			return &archiveError{fmt.Sprintf("holds another size than it states at %q", entry.Name)}
		}
		return nil
	})
	var damaged *archiveError
	if errors.As(err, &damaged) {
		return damaged
	}
	return err
}

// isWriteError tells a full disk from a damaged archive.
func isWriteError(err error) bool {
	var pathError *fs.PathError
	return errors.As(err, &pathError) && pathError.Op == "write"
}
