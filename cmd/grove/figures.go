package main

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/grove-graph/grove/render"
)

// isPNG reports whether a file is to be a PNG picture.
func isPNG(path string) bool { return strings.ToLower(filepath.Ext(path)) == ".png" }

// isFigure reports whether a file is to be a picture.
func isFigure(path string) bool { return isPNG(path) || strings.ToLower(filepath.Ext(path)) == ".svg" }

// writableFigure wants a file name of a figure, where there is one.
func writableFigure(flag, path string) error {
	if path == "" {
		return nil
	}
	if !isFigure(path) {
		return usagef("%s %s: give a name that ends in .svg or .png", flag, path)
	}
	return writable(flag, path)
}

// writeFigure writes a plot in the format of the file's name.
func writeFigure(flag, path string, f *render.Figure) error {
	if isPNG(path) {
		return writeFile(flag, path, f.WritePNG)
	}
	return writeFile(flag, path, f.WriteSVG)
}

// writeDrawing writes a drawing, which draw writes as SVG, in the format of the file's name.
func writeDrawing(flag, path string, draw func(w io.Writer) error) error {
	return writeFile(flag, path, func(w io.Writer) error {
		if isPNG(path) {
			return render.WritePNG(w, draw)
		}
		return draw(w)
	})
}
