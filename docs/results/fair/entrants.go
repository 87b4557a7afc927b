package main

// entrants are the rows of the table. Settings behind a flag are chosen by the validation part.
var entrants = []entrant{
	{model: "majority"},
	{model: "linear"},
	{model: "static"},
	{model: "wl", flags: "--iterations 0,1,2,3,4,5"},
	{model: "wl-oa", flags: "--iterations 0,1,2,3,4,5"},
	{model: "treeg"},
	{model: "gckn-path", on: paths},
	{model: "gckn-subtree", on: paths},
	{model: "cgmm", flags: "--depth 1,2,4,8", on: shown},
	{model: "mpgk-ra", flags: "--iterations 1,2,3,4"},
	{model: "gcn", on: shown},
	{model: "gin", on: shown},
}

// shown is what vertices show where there are labels and attributes.
var shown = map[string]string{"ENZYMES": "--features attributes+labels", "PROTEINS": "--features labels"}

// paths is the same for networks on paths. In a graph of COLLAB there are tens of millions of paths of four vertices.
var paths = map[string]string{
	"ENZYMES": shown["ENZYMES"], "PROTEINS": shown["PROTEINS"], "COLLAB": "--path-size 2",
}
