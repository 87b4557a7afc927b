package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/grove-graph/grove/render"
	"github.com/spf13/cobra"
)

func plotCommand() *cobra.Command {
	return &cobra.Command{
		Use: "plot REPORT.json OUT.svg", Short: "Draw the operations of a report under the roofline of its machine",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usageError{fmt.Errorf("plot wants a report that --json wrote and a file .svg or .png, not %d arguments",
					len(args))}
			}
			if err := checkPicture("plot", args[1]); err != nil {
				return usageError{err}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := readReport(args[0])
			if err != nil {
				return err
			}
			return r.savePlot(args[1])
		},
	}
}

// checkPicture reports a file name that is not one of a picture. An empty one is none.
func checkPicture(flag, name string) error {
	if name == "" || slices.Contains([]string{".svg", ".png"}, strings.ToLower(filepath.Ext(name))) {
		return nil
	}
	return fmt.Errorf("%s %s: the name of a picture must end in .svg or .png", flag, name)
}

// savePlot draws the roofline of the machine with the operations that do arithmetic: those that only copy
// have no place on its axes.
func (r *report) savePlot(name string) error {
	figure, err := r.roofline()
	if err != nil {
		return err
	}
	return figure.Save(name)
}

// drawable reports whether an operation has a place under the roofline.
func drawable(r result) bool { return r.Operations > 0 && r.Bytes > 0 }

func (r *report) roofline() (*render.Figure, error) {
	rates := r.Machine.Rates
	if rates.Copy == 0 {
		return nil, errors.New("the report has no rates of the machine: measure without --bare")
	}
	var measured []render.Measurement
	for _, res := range r.Results {
		if drawable(res) {
			measured = append(measured, render.Measurement{
				Name:      res.Name + " " + percent(res.Fraction),
				Group:     group(res.Bound),
				Intensity: res.Operations / res.Bytes, Rate: res.Operations / res.Seconds,
			})
		}
	}
	if len(measured) == 0 {
		return nil, errors.New("the report has no operation with a floor of arithmetic")
	}
	bandwidth := render.Roof{Name: "copy " + prefixed(rates.Copy) + "B/s", Rate: rates.Copy}
	peaks := []render.Roof{{Name: "float32 product " + prefixed(rates.Peak32) + "FLOP/s", Rate: rates.Peak32}}
	return render.Roofline(render.Chart{
		Title: "Operations under the roofline, " + r.where(),
		X:     render.Axis{Label: "float32 operations per byte"},
		Y:     render.Axis{Label: "operations per second"},
	}, bandwidth, peaks, measured)
}

// group names what bounds an operation, for the legend.
func group(bound string) string { return "floor of " + bound }

// where names what computed.
func (r *report) where() string {
	switch {
	case r.Machine.Device != "":
		return r.Machine.Device
	case r.Machine.Processor != "":
		return r.Machine.Processor + ", " + r.on()
	}
	return r.Machine.System + ", " + r.on()
}
