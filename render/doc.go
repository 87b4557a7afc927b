// Package render draws graphs, explanations of predictions and accuracy plots.
//
//	err := render.Graph(w, render.Drawing{Batch: b, Graph: 3, Contributions: values}, render.Style{})
//
// [Graph] writes one graph as SVG, its vertices coloured by what each contributes to a prediction, by
// chemical element or by label; [Grid] writes several in one picture. Positions come from package
// layout. A drawing needs nothing around it: colours, legend, tooltips and a description for screen
// readers are inside, and it has a light background of its own so that it reads on dark pages too.
//
// [AccuracyCurves], [Lines], [Dots] and [HeatMaps] make plots with gonum/plot; a [Figure] is written as SVG
// or PNG.
//
// [TextBars] shows a few numbers in a terminal.
//
// The same input gives the same bytes. Values that are not finite are refused with an error, none
// ever reaches a picture.
package render
