package render

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// pngDPI gives PNG pictures two pixels per point, sharp on dense screens and in print.
const pngDPI = 144

// Figure is a finished plot, ready to be written.
type Figure struct {
	width, height vg.Length
	label         string
	draw          func(draw.Canvas)
}

// WriteSVG writes the figure as an SVG document.
func (f *Figure) WriteSVG(w io.Writer) error {
	canvas := vgsvg.NewWith(vgsvg.UseWH(f.width, f.height))
	f.draw(draw.New(canvas))
	var svg bytes.Buffer
	if _, err := canvas.WriteTo(&svg); err != nil {
		return fmt.Errorf("drawing the figure: %w", err)
	}
	// The canvas names its own font only, which few systems have, and knows nothing of screen readers.
	out := bytes.ReplaceAll(svg.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:"+fontStack+";"))
	label := escape(f.label)
	out = bytes.Replace(out, []byte("<svg "),
		[]byte(`<svg role="img" aria-label="`+label+`" style="max-width:100%;height:auto" `), 1)
	endOfHead := []byte("xlink\">\n")
	out = bytes.Replace(out, endOfHead, append(endOfHead, "<title>"+label+"</title>\n"...), 1)
	_, err := w.Write(out)
	return err
}

// WritePNG writes the figure as a PNG picture of two pixels per point.
func (f *Figure) WritePNG(w io.Writer) error {
	canvas := vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(pngDPI))
	f.draw(draw.New(canvas))
	_, err := vgimg.PngCanvas{Canvas: canvas}.WriteTo(w)
	return err
}

// Save writes the figure to a file in the format of its extension, .svg or .png.
func (f *Figure) Save(path string) error {
	write := f.WriteSVG
	switch strings.ToLower(filepath.Ext(path)) {
	case ".svg":
	case ".png":
		write = f.WritePNG
	default:
		return fmt.Errorf("%s: the file name of a figure must end in .svg or .png", path)
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := write(file); err != nil {
		file.Close()
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return file.Close()
}
