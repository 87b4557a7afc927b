package cuda

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// debian is a made-up system without the CUDA toolkit: its /etc, and programs that note how they are called.
type debian struct{ etc, bin, calls string }

const sources = "Types: deb\nSuites: bookworm\nComponents: main\n"

func newDebian(t *testing.T) debian {
	t.Helper()
	dir := t.TempDir()
	d := debian{filepath.Join(dir, "etc"), filepath.Join(dir, "bin"), filepath.Join(dir, "calls")}
	d.write(t, "etc/os-release", "NAME=Debian\nID=debian\n")
	d.write(t, "etc/apt/sources.list.d/debian.sources", sources)
	d.write(t, "bin/id", "#!/bin/sh\necho 0\n")
	d.write(t, "bin/apt-cache", "#!/bin/sh\necho Package: nvidia-cuda-toolkit\n")
	d.write(t, "bin/apt-get", "#!/bin/sh\necho apt-get \"$@\" >>"+d.calls+"\n")
	for _, tool := range []string{"grep", "sed"} {
		path, err := exec.LookPath(tool)
		if err != nil {
			t.Skip(err)
		}
		if err := os.Symlink(path, filepath.Join(d.bin, tool)); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func (d debian) write(t *testing.T, name, content string) {
	t.Helper()
	path := filepath.Join(filepath.Dir(d.bin), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o777); err != nil {
		t.Fatal(err)
	}
}

// toolkit runs toolkit.sh on the system and returns what it says.
func (d debian) toolkit(t *testing.T, install string) string {
	t.Helper()
	script, err := os.Open("toolkit.sh") // here, so that a cached result does not outlive the script
	if err != nil {
		t.Fatal(err)
	}
	defer script.Close()
	c := exec.Command("/bin/sh")
	c.Stdin = script
	c.Env = []string{"PATH=" + d.bin, "ETC=" + d.etc, "CUDA_HOME=" + d.etc, "INSTALL=" + install}
	said, err := c.CombinedOutput()
	if err == nil {
		t.Fatalf("a toolkit is found where there is none: %s", said)
	}
	return string(said)
}

func (d debian) read(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(raw)
}

func TestToolkitIsInstalledOnlyWhenAskedFor(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the toolkit is installed on Debian alone")
	}
	d := newDebian(t)
	list := filepath.Join(d.etc, "apt/sources.list.d/debian.sources")
	said := d.toolkit(t, "")
	for _, want := range []string{"make gpu INSTALL=yes", list, "sed -i", "apt-get update",
		"apt-get install -y -q --no-install-recommends nvidia-cuda-toolkit g++"} {
		if !strings.Contains(said, want) {
			t.Errorf("nothing of %q in what make gpu would do: %s", want, said)
		}
	}
	if calls := d.read(t, d.calls); calls != "" {
		t.Errorf("without INSTALL=yes these ran: %s", calls)
	}
	if now := d.read(t, list); now != sources {
		t.Errorf("without INSTALL=yes the sources of packages became %q", now)
	}

	announced := said
	said = d.toolkit(t, "yes")
	calls := d.read(t, d.calls)
	if !strings.Contains(calls, "apt-get update") || !strings.Contains(calls, "apt-get install") {
		t.Errorf("INSTALL=yes ran %q", calls)
	}
	if now := d.read(t, list); now != strings.Replace(sources, "main", "main contrib non-free", 1) {
		t.Errorf("INSTALL=yes made the sources of packages %q", now)
	}
	for line := range strings.Lines(said) {
		if strings.HasPrefix(line, "  ") && !strings.Contains(announced, line) {
			t.Errorf("INSTALL=yes ran %q, which was not announced", line)
		}
	}
	d.write(t, "bin/id", "#!/bin/sh\necho 1000\n")
	if said := d.toolkit(t, "yes"); d.read(t, d.calls) != calls {
		t.Errorf("INSTALL=yes without being root ran something: %s", said)
	}
}
