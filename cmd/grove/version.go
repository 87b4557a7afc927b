package main

import (
	"fmt"
	"io"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// build says what a program was built from.
type build struct {
	Version  string `json:"version,omitempty"`  // of the module; empty in a checkout
	Revision string `json:"revision,omitempty"` // of the checkout, in full
	Date     string `json:"date,omitempty"`     // of the revision
	Modified bool   `json:"modified"`           // the checkout held changes that were not committed
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// stamp is REVISION,DATE or REVISION,DATE,modified of the checkout where make built the program: in a git worktree
// the go command notes nothing.
var stamp string

// thisBuild describes the running program.
func thisBuild() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return buildOf(info, stamp)
}

// buildOf reads what the go command notes in a program. In a checkout it makes up a version of the revision, which
// says nothing more.
func buildOf(info *debug.BuildInfo, stamp string) build {
	b := build{Version: info.Main.Version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if noted := strings.Split(stamp, ","); len(noted) > 1 {
		b.Revision, b.Date, b.Modified = noted[0], noted[1], len(noted) > 2
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	madeUp := regexp.MustCompile(`[-.]\d{14}-[0-9a-f]{12}(\+|$)`).MatchString(b.Version)
	if b.Version == "(devel)" || b.Revision != "" && madeUp {
		b.Version = ""
	}
	return b
}

// String names the build in a few words.
func (b build) String() string {
	switch {
	case b.Version != "":
		return b.Version
	case b.Revision != "":
		return "of revision " + b.commit()
	}
	return fmt.Sprintf("of an unknown revision (built without git), %s %s", b.Go, b.Platform)
}

// commit is the revision as people write it.
func (b build) commit() string {
	text := fmt.Sprintf("%.10s of %.10s", b.Revision, b.Date)
	if b.Modified {
		text += ", modified"
	}
	return text
}

func newVersion(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "version",
		Short: "Say which version this is and what it was built with",
		Long: `Say which version this is: that of the module, or the revision of the checkout that it was built from,
whose date follows and whether files had been modified; and the version of Go and the platform.`,
		Example: `  grove version
  grove version --json
  grove --version           # one line`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			b := thisBuild()
			return a.emit(b, b.print)
		},
	}
	addFlags(c.Flags(), groupOutput, a.addOutputFlags)
	return c
}

func (b build) print(w io.Writer) {
	version, revision := "none, built from a checkout or an archive", "unknown, built without git"
	if b.Version != "" {
		version, revision = b.Version, ""
	}
	if b.Revision != "" {
		revision = b.commit()
	}
	fact(w, "version", "%s", version)
	if revision != "" {
		fact(w, "revision", "%s", revision)
	}
	fact(w, "go", "%s", b.Go)
	fact(w, "platform", "%s", b.Platform)
}
