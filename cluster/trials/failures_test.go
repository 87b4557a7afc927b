package trials

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A part that always fails is named, and the others are done; when the cause is gone, it alone is computed.
func TestAPartFailsAlways(t *testing.T) {
	p := plan(t, "embed")
	blocked := beside(p, "plan.parts/000007.out")
	if err := os.MkdirAll(blocked, 0o777); err != nil {
		t.Fatal(err)
	}
	worker(t)
	submit(t, p, "--attempts", "2").fails(t, "1 of 20 parts failed: 7", "part 7:", "folder", "the others are kept")
	if n := receipts(p); n != graphs/perPart-1 {
		t.Errorf("%d parts are done", n)
	}
	if err := os.Remove(blocked); err != nil {
		t.Fatal(err)
	}
	submit(t, p).succeeds(t)
	whole(t, p)
}

// A disk that is full fails the parts that have no room, and loses nothing.
func TestTheDiskIsFull(t *testing.T) {
	disk := t.TempDir()
	size := func(option string) error {
		return exec.Command("mount", "-t", "tmpfs", "-o", option, "tmpfs", disk).Run()
	}
	if size("size=8m") != nil {
		t.Skip("needs a small disk, which only root can mount")
	}
	t.Cleanup(func() { _ = exec.Command("umount", "--lazy", disk).Run() })
	p := planIn(t, disk, "embed")
	worker(t)
	submit(t, p, "--attempts", "1").fails(t, "no space left on device", "the others are kept")
	if n := receipts(p); n == 0 || n == graphs/perPart {
		t.Errorf("%d parts are done", n)
	}
	if err := size("remount,size=1g"); err != nil {
		t.Fatal(err)
	}
	submit(t, p).succeeds(t)
	whole(t, p)
}

// A store that is not the one of the plan ends the work, in the words of grove.
func TestTheStoreChanges(t *testing.T) {
	theirs, mine := store, filepath.Join(t.TempDir(), "store")
	synth := []string{"data", "synth", "molecules", "--graphs", "10000", "--to", "shards", "--out", mine, "--overwrite"}
	must(t, grove, append(synth, "--seed", "1")...)
	store = mine
	p := plan(t, "embed")
	store = theirs
	must(t, grove, append(synth, "--seed", "2")...)
	worker(t)
	submit(t, p).fails(t, "--data", "it has changed since", "plan again")
	if n := receipts(p); n > 0 {
		t.Errorf("%d parts are done", n)
	}
}

// Another build of grove gets no parts, and computes none where it got there under a false name.
func TestAnotherVersionIsRefused(t *testing.T) {
	p := plan(t, "embed")
	text, err := os.ReadFile(p)
	if err != nil {
		t.Fatal(err)
	}
	mine := strings.TrimPrefix(strings.TrimSpace(must(t, grove, "--version")), "grove ")
	text = bytes.Replace(text, []byte(mine), []byte("v0.0.1"), 1)
	if err := os.WriteFile(p, text, 0o666); err != nil {
		t.Fatal(err)
	}
	start(t, cluster, "local", "--grove", grove, p).fails(t, "planned by grove v0.0.1", mine)

	worker(t)
	s := submit(t, p)
	for range 600 {
		if strings.Contains(s.said.String(), "\n") {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.kill()
	if said := s.ends(t, false); !strings.Contains(said, "no worker is there") || !strings.Contains(said, "grove v0.0.1") {
		t.Errorf("%q", said)
	}

	disguised := filepath.Join(t.TempDir(), "grove")
	script := "#!/bin/sh\n[ \"$1\" = --version ] && { echo grove v0.0.1; exit; }\nexec " + grove + " \"$@\"\n"
	if err := os.WriteFile(disguised, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	worker(t, "--grove", disguised)
	submit(t, p).fails(t, "planned by grove v0.0.1", mine, "plan again")
	if n := receipts(p); n > 0 {
		t.Errorf("%d parts are done", n)
	}
}

// A command line that cannot be meant is one line that says what is wanted.
func TestWhatCannotBeMeant(t *testing.T) {
	for words, line := range map[string][]string{
		"want one plan":         {"local"},
		"no plan of grove":      {"local", cluster},
		"want cpu or cuda":      {"worker", "--queue", "gpu"},
		"want HOST:PORT":        {"server", "--store", filepath.Join(t.TempDir(), "books"), "--address", "nowhere"},
		"want a file":           {"server"},
		"no server answers":     {"worker", "--queue", "cpu", "--address", "127.0.0.1:1", "--grove", grove},
		"--attempts 0: want 1":  {"submit", "plan.json", "--attempts", "0"},
		"no such program":       {"worker", "--queue", "cpu", "--grove", "/nowhere"},
		"not the command":       {"worker", "--queue", "cpu", "--grove", "/bin/true"},
		"unknown command":       {"dance"},
		"unknown flag: --dance": {"local", "--dance"},
	} {
		start(t, cluster, line...).fails(t, words)
	}
}
