//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// asCommand is the variable that makes the test binary the command line itself, for tests of whole processes.
const asCommand = "GROVE_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// process is a command line in a process of its own.
type process struct {
	*exec.Cmd
	stdout, stderr bytes.Buffer
}

// newProcess prepares a process that a shell starts, after it has run the given settings, such as "ulimit -v 1000000".
func newProcess(t *testing.T, settings string, args ...string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf(`%s
exec "$0" "$@"`, settings)
	p := &process{Cmd: exec.Command("sh", append([]string{"-c", script, self}, args...)...)}
	p.Env = append(os.Environ(), asCommand+"=1")
	p.Stdout, p.Stderr = &p.stdout, &p.stderr
	return p
}
