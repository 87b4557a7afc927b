package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// interpreter writes a program that answers as the script under torch would.
func interpreter(t *testing.T, answer string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "python")
	script := "#!/bin/sh\ncat >/dev/null\nls \"$2\" >&2\n" + answer + "\n"
	if err := os.WriteFile(name, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestTorchThatComputesSomethingElseIsRefused(t *testing.T) {
	for _, c := range []struct{ answer, want string }{
		{`echo '{"seconds": 1, "sum": 1e9, "name": "torch"}'`, "add up to 1e+09"},
		{`echo nothing`, "unexpected answer"},
		{`echo "No module named torch" >&2; exit 1`, "No module named torch"},
	} {
		_, _, err := execute(t, "--quick", "--repeat", "2", "--op", "sparse-matmul-power-law",
			"--torch", interpreter(t, c.answer))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one line with %q", err, c.want)
		}
	}
}
