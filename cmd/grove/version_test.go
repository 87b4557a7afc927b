package main

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	checkout := []debug.BuildSetting{
		{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"},
		{Key: "vcs.time", Value: "2026-03-01T10:00:00Z"}, {Key: "vcs.modified", Value: "false"},
	}
	modified := append(checkout[:3:3], debug.BuildSetting{Key: "vcs.modified", Value: "true"})
	here := runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
	for _, c := range []struct {
		from, version string
		settings      []debug.BuildSetting
		want          string
	}{
		{"go install at a version", "v1.2.3", nil, "v1.2.3"},
		{"go install at a revision", "v0.0.0-20260301100000-0123456789ab", nil, "v0.0.0-20260301100000-0123456789ab"},
		{"a checkout", "v0.0.0-20260301100000-0123456789ab", checkout, "of revision 0123456789 of 2026-03-01"},
		{"a checkout after a version", "v1.2.4-0.20260301100000-0123456789ab", checkout,
			"of revision 0123456789 of 2026-03-01"},
		{"a checkout with changes", "v0.0.0-20260301100000-0123456789ab+dirty", modified,
			"of revision 0123456789 of 2026-03-01, modified"},
		{"a checkout at a version", "v1.2.3", checkout, "v1.2.3"},
		{"a checkout, by an older go command", "(devel)", checkout, "of revision 0123456789 of 2026-03-01"},
		{"an archive", "(devel)", nil, "of an unknown revision (built without git), " + here},
		{"a test", "", nil, "of an unknown revision (built without git), " + here},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: c.version}, Settings: c.settings}
		if got := buildOf(info, "").String(); got != c.want {
			t.Errorf("%s: %q, want %q", c.from, got, c.want)
		}
	}
	info := &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}
	for stamp, want := range map[string]string{
		"0123456789abcdef,2026-03-01T10:00:00Z":          "of revision 0123456789 of 2026-03-01",
		"0123456789abcdef,2026-03-01T10:00:00Z,modified": "of revision 0123456789 of 2026-03-01, modified",
	} {
		if got := buildOf(info, stamp).String(); got != want {
			t.Errorf("a git worktree, built by make: %q, want %q", got, want)
		}
	}
	if text := must(t, "--version"); !strings.HasPrefix(text, "grove ") || strings.Contains(text, "devel") {
		t.Errorf("grove --version writes %q", text)
	}
	text, object := must(t, "version"), mustJSON(t, "version")
	for _, want := range []string{runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH} {
		if !strings.Contains(text, want) || object["go"] != runtime.Version() {
			t.Errorf("grove version writes %q and %v", text, object)
		}
	}
}
