package lint

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestNothingIsDead wants every function to be reachable from a command, or to be listed with a reason in
// testdata/reached_by_programs.txt. Of the list, nothing may be reachable.
func TestNothingIsDead(t *testing.T) {
	cmd := exec.Command("go", "tool", "deadcode", "-json", module+"/...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var packages []struct {
		Path  string
		Funcs []struct {
			Name     string
			Position struct {
				File string
				Line int
			}
		}
	}
	if err := json.Unmarshal(out, &packages); err != nil {
		t.Fatal(err)
	}
	allowed := allowList(t)
	met := map[string]bool{}
	for _, p := range packages {
		of := strings.TrimPrefix(p.Path, module+"/")
		for _, f := range p.Funcs {
			name := of + "." + f.Name
			met[of], met[name] = true, true
			if !allowed[of] && !allowed[name] {
				t.Errorf("%s:%d: no command reaches %s", f.Position.File, f.Position.Line, name)
			}
		}
	}
	for name := range allowed {
		if !met[name] {
			t.Errorf("testdata/reached_by_programs.txt: a command reaches %s, or it is gone", name)
		}
	}
}

// allowList returns the functions, and packages as a whole, that are listed: the lines that begin with a tab.
func allowList(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("testdata/reached_by_programs.txt")
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "\t"); ok {
			allowed[strings.TrimSpace(name)] = true
		}
	}
	return allowed
}
