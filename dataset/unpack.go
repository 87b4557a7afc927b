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
)

// An archive of a data set holds a handful of files.
const maxArchiveFiles = 1000

// archiveError says that an archive is not what it should be.
type archiveError struct{ reason string }

func (e *archiveError) Error() string { return "the archive " + e.reason }

// unpack extracts the archive of a TU data set to the folder target. Files are written to a temporary
// folder beside it, checked by their CRC, and the folder takes its name at the end. An entry that would
// leave the folder, is no plain file or exceeds the sizes it states or maxBytes is refused.
func unpack(archive, target, name string, maxBytes int64) error {
	reader, err := zip.OpenReader(archive)
	if err != nil {
		return &archiveError{"is damaged: " + err.Error()}
	}
	defer reader.Close()
	if len(reader.File) > maxArchiveFiles {
		return &archiveError{fmt.Sprintf("holds %d files, more than %d", len(reader.File), maxArchiveFiles)}
	}
	temporary, err := os.MkdirTemp(filepath.Dir(target), "."+name+".unpack-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	left := maxBytes
	for _, entry := range reader.File {
		size, err := unpackFile(entry, temporary, left)
		if err != nil {
			return err
		}
		left -= size
	}
	// The archives of the collection hold one folder NAME; files without a folder are accepted too.
	for _, content := range []string{filepath.Join(temporary, name), temporary} {
		if (folder{os.DirFS(content), content}).find(name+"_A.txt") == "" {
			continue
		}
		if err := os.Chmod(content, 0o755); err != nil {
			return err
		}
		if err := os.Rename(content, target); err != nil {
			return fmt.Errorf("%s is in the way: remove it and run again (%w)", target, renameError(err))
		}
		return nil
	}
	return &archiveError{fmt.Sprintf("holds no %s_A.txt", name)}
}

func renameError(err error) error {
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}

// unpackFile extracts one entry into the folder, at most limit bytes.
func unpackFile(entry *zip.File, dir string, limit int64) (int64, error) {
	if !filepath.IsLocal(filepath.FromSlash(entry.Name)) {
		return 0, &archiveError{fmt.Sprintf("holds the unsafe name %q", entry.Name)}
	}
	target := filepath.Join(dir, filepath.FromSlash(path.Clean(entry.Name)))
	if entry.FileInfo().IsDir() {
		return 0, os.MkdirAll(target, 0o777)
	}
	if entry.Mode()&fs.ModeType != 0 {
		return 0, &archiveError{fmt.Sprintf("holds %q, which is no plain file", entry.Name)}
	}
	if entry.UncompressedSize64 > uint64(max(limit, 0)) {
		return 0, &archiveError{fmt.Sprintf("unpacks to more than the limit at %q", entry.Name)}
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
		return 0, err
	}
	content, err := entry.Open()
	if err != nil {
		return 0, &archiveError{fmt.Sprintf("is damaged at %q: %v", entry.Name, err)}
	}
	defer content.Close()
	file, err := os.OpenFile(target, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return 0, &archiveError{fmt.Sprintf("holds %q twice", entry.Name)}
	}
	if err != nil {
		return 0, err
	}
	defer file.Close()
	size, err := io.Copy(file, io.LimitReader(content, int64(entry.UncompressedSize64)+1))
	switch {
	case err != nil && isWriteError(err):
		return 0, err
	case err != nil:
		return 0, &archiveError{fmt.Sprintf("is damaged at %q: %v", entry.Name, err)}
	case size != int64(entry.UncompressedSize64):
		return 0, &archiveError{fmt.Sprintf("holds another size than it states at %q", entry.Name)}
	}
	return size, errors.Join(file.Sync(), file.Close())
}

// isWriteError tells a full disk from a damaged archive.
func isWriteError(err error) bool {
	var pathError *fs.PathError
	return errors.As(err, &pathError) && pathError.Op == "write"
}
