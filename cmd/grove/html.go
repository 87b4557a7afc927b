package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"

	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/render/page"
	"github.com/grove-graph/grove/report"
	"github.com/spf13/pflag"
)

// addHTMLFlag declares the page of a command, which shows what the words say.
func addHTMLFlag(fs *pflag.FlagSet, path *string, shows string) {
	fs.StringVar(path, "html", "", "`FILE` page to write: "+shows)
}

// writableHTML wants a file name of a page, where there is one.
func writableHTML(path string) error {
	if path == "" {
		return nil
	}
	return writable("--html", path)
}

// about are the circumstances of this run.
func about(device string, notes []string) report.About {
	words := append([]string{"grove"}, os.Args[1:]...)
	if base := filepath.Base(os.Args[0]); base != "" {
		words[0] = base
	}
	return report.About{Program: "grove " + thisBuild().String(), Command: report.CommandLine(words), Device: device,
		Notes: notes}
}

// study is what a page tells of that was measured.
func (a *app) study(p eval.Problem, device string, notes []string) *report.Study {
	return &report.Study{Problem: p, About: about(device, notes), Progress: a.progress.report}
}

// writePage writes a page to the file that --html names.
func writePage(path string, p *page.Page) error {
	var content bytes.Buffer
	if err := p.Write(&content); err != nil {
		return err
	}
	return writeFile("--html", path, func(w io.Writer) error {
		_, err := w.Write(content.Bytes())
		return err
	})
}
