package rounds

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/grove-graph/grove/atomicfile"
	"github.com/grove-graph/grove/memory"
)

// Matrix returns n numbers, those of all blocks one behind the other. They lie in a file that is mapped in memory, a
// temporary one or, where there are rounds, one of what is known. Release them as those of [memory.Mapped]; they are
// not to be changed.
func Matrix[T float32 | float64](
	ctx context.Context, r *Rounds, p Pass[[]T], n int,
) (numbers []T, release func() error, err error) {
	if r == nil {
		if numbers, release, err = memory.Mapped[T](n); err != nil {
			return nil, nil, err
		}
		at := 0
		if err := p.each(ctx, 0, len(p.First), func(of node[[]T]) error {
			at += copy(numbers[at:], of.Value)
			return nil
		}); err != nil {
			return nil, nil, errors.Join(err, release())
		}
		return numbers, release, nil
	}
	path := r.path()
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if !r.leads() {
			return nil, nil, p.part(ctx, r, nil)
		}
		if err := writeNumbers(ctx, r, p, path); err != nil {
			return nil, nil, err
		}
	}
	numbers, release, err = memory.File[T](path)
	if err == nil && len(numbers) != n {
		err = errors.Join(fmt.Errorf("%s: %d numbers, want %d", path, len(numbers), n), release())
	}
	return numbers, release, err
}

// writeNumbers writes the file of a matrix from the results of parts, in the order of bytes that the memory has.
func writeNumbers[T float32 | float64](ctx context.Context, r *Rounds, p Pass[[]T], path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	var failed error
	err := atomicfile.Write(path, func(w io.Writer) error {
		buffered := bufio.NewWriterSize(w, 1<<20)
		if failed = p.nodes(ctx, r, func(n node[[]T]) error {
			return binary.Write(buffered, binary.NativeEndian, n.Value)
		}); failed != nil {
			return failed
		}
		return buffered.Flush()
	})
	if failed != nil {
		return failed
	}
	return err
}
