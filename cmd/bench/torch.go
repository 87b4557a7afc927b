package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/grove-graph/grove/atomicfile"
	"github.com/grove-graph/grove/engine"
	"github.com/sbinet/npyio/npy"
	"gorgonia.org/tensor"
)

// rival is another program's time for the same work on the same inputs.
type rival struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
	Ratio   float64 `json:"over_seconds"` // its seconds over Grove's
}

// The scripts that time torch, each with the folder of its arrays as the first argument.
var (
	//go:embed torch_sparse.py
	torchSparseScript string
	//go:embed torch_gin.py
	torchGINScript string
)

// torchSparse times torch.sparse for y = a x, on a GPU where this run is on one and else on as many threads
// as there are workers. It returns nil where --torch was not given, and an error where torch computes
// something else.
func (r *runner) torchSparse(a *engine.Sparse, x, y *tensor.Dense) (*rival, error) {
	if r.python == "" {
		return nil, nil
	}
	onHost, err := engine.ToHost(x)
	if err != nil {
		return nil, err
	}
	device := "cpu"
	if r.place.device != "" {
		device = "cuda"
	}
	arrays := map[string]any{"row_ptr": a.RowPtr, "col": a.Col, "x": onHost.Data()}
	found, err := r.torch(torchSparseScript, arrays, device, strconv.Itoa(r.settings.Workers))
	if err != nil {
		return nil, err
	}
	if y, err = engine.ToHost(y); err != nil {
		return nil, err
	}
	own, size := 0.0, 0.0
	for _, v := range y.Float32s() {
		own += float64(v)
		size += math.Abs(float64(v))
	}
	if math.Abs(own-found.Sum) > 1e-4*size {
		return nil, fmt.Errorf("--torch %s: the entries of its product add up to %g, ours to %g", r.python, found.Sum, own)
	}
	return &found.rival, nil
}

// answer is what a script says.
type answer struct {
	rival
	Sum float64 `json:"sum"`
}

// torch runs a script with some arrays and further arguments.
func (r *runner) torch(script string, arrays map[string]any, arguments ...string) (*answer, error) {
	folder, err := os.MkdirTemp("", "grove-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	for name, array := range arrays {
		if err := saveArray(filepath.Join(folder, name+".npy"), array); err != nil {
			return nil, err
		}
	}
	cmd := exec.Command(r.python, append([]string{"-", folder}, arguments...)...)
	cmd.Stdin = strings.NewReader(script)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		return nil, fmt.Errorf("--torch %s: %w: %s", r.python, err, lines[len(lines)-1])
	}
	found := new(answer)
	if err := json.Unmarshal(out, found); err != nil || !(found.Seconds > 0) {
		return nil, fmt.Errorf("--torch %s: unexpected answer %q", r.python, out)
	}
	return found, nil
}

// saveArray writes a slice in NumPy's format.
func saveArray(path string, array any) error {
	return atomicfile.Write(path, func(w io.Writer) error { return npy.Write(w, array) })
}
