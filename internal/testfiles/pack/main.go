// Command pack writes testdata/golden.zip anew from the folder of golden values that it is given:
//
//	go run ./internal/testfiles/pack FOLDER
//
// The archive holds every file of the folder, in the order of their names and without times, so that the same files
// make the same bytes.
package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"io"
	"io/fs"
	"log"
	"os"
)

const archive = "internal/testfiles/testdata/golden.zip"

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: go run ./internal/testfiles/pack FOLDER")
	}
	var packed bytes.Buffer
	if err := pack(&packed, os.DirFS(os.Args[1])); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(archive, packed.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
}

// pack writes an archive of all files of a folder.
func pack(to io.Writer, folder fs.FS) error {
	w := zip.NewWriter(to)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, flate.BestCompression)
	})
	err := fs.WalkDir(folder, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(folder, path)
		if err != nil {
			return err
		}
		file, err := w.Create(path)
		if err != nil {
			return err
		}
		_, err = file.Write(content)
		return err
	})
	if err != nil {
		return err
	}
	return w.Close()
}
