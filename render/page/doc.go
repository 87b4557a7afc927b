// Package page writes reports as one HTML page that needs nothing around it: no network, no files beside it, and no
// script to read the figures. Tables sort by a click or a key on a heading. It is for light and dark screens of any
// width, and for paper.
//
//	p := page.Page{Title: "wl on MUTAG", Sections: []page.Section{{Heading: "Models", Table: &table}}}
//	err := p.Write(w)
package page
