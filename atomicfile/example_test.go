package atomicfile_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/grove-graph/grove/atomicfile"
)

func Example() {
	dir, err := os.MkdirTemp("", "atomicfile")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "list.txt")
	err = atomicfile.Write(path, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, "there as a whole")
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	err = atomicfile.Write(path, func(w io.Writer) error {
		fmt.Fprintln(w, "half of another one")
		return io.ErrShortWrite
	})
	fmt.Println(errors.Is(err, io.ErrShortWrite))
	content, err := os.ReadFile(path)
	fmt.Print(string(content), err)
	// Output:
	// true
	// there as a whole
	// <nil>
}
