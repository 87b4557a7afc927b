package render

import (
	"bytes"
	"errors"
	"image/color"
	"image/png"
	"io"
	"testing"
)

// A picture shows what the document shows, at twice its size.
func TestPNGShowsTheDocument(t *testing.T) {
	var out bytes.Buffer
	err := WritePNG(&out, func(w io.Writer) error {
		_, err := io.WriteString(w, `<svg width="100" height="50"><rect width="100" height="50" fill="#ffffff"/>
			<g transform="translate(10 0)" stroke="#00ff00" stroke-width="4">
			<line x1="0" y1="10" x2="20" y2="10"/><circle cx="50" cy="25" r="10" fill="#ff0000" stroke="none"/>
			<path d="M0 40L20 40" fill="none" stroke="#0000ff"/></g>
			<g opacity="0.5"><polygon points="80,20 100,20 100,40 80,40" fill="#000000"/></g></svg>`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(&out)
	if err != nil {
		t.Fatal(err)
	}
	if size := picture.Bounds().Size(); size.X != 200 || size.Y != 100 {
		t.Errorf("a picture of %v", size)
	}
	for _, c := range []struct {
		x, y int
		want color.RGBA
	}{
		{40, 20, color.RGBA{0, 255, 0, 255}}, {120, 50, color.RGBA{255, 0, 0, 255}}, {40, 80, color.RGBA{0, 0, 255, 255}},
		{180, 60, color.RGBA{128, 128, 128, 255}}, {2, 2, color.RGBA{255, 255, 255, 255}},
	} {
		if got := color.RGBAModel.Convert(picture.At(c.x, c.y)); got != c.want {
			t.Errorf("at %d, %d: %v, want %v", c.x, c.y, got, c.want)
		}
	}
	failed := errors.New("no")
	if err := WritePNG(io.Discard, func(io.Writer) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
}
