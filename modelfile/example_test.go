package modelfile_test

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/grove-graph/grove/modelfile"
	"gorgonia.org/tensor"
)

func Example() {
	dir, err := os.MkdirTemp("", "modelfile")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "line.grove")
	weights := tensor.New(tensor.WithShape(2), tensor.WithBacking([]float64{0.5, -2}))
	err = modelfile.Write(path, "line", map[string]float64{"bias": 3}, map[string]*tensor.Dense{"weights": weights})
	if err != nil {
		log.Fatal(err)
	}
	f, err := modelfile.Read(path) // an error where a byte was changed
	if err != nil {
		log.Fatal(err)
	}
	var line struct {
		Bias float64 `json:"bias"`
	}
	if err := json.Unmarshal(f.Model, &line); err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.Kind, line.Bias, f.Take("weights").Float64s(), f.Left())
	// Output: line 3 [0.5 -2] <nil>
}
