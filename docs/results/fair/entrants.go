package main

// entrants are the rows of the table. Settings behind a flag are chosen by the validation part.
var entrants = []entrant{
	{model: "majority"},
	{model: "linear"},
	{model: "static"},
	{model: "wl", flags: "--iterations 0,1,2,3,4,5"},
	{model: "wl-oa", flags: "--iterations 0,1,2,3,4,5"},
	{model: "treeg"},
	{model: "gckn-path", on: shown},
	{model: "gckn-subtree", on: shown},
	{model: "cgmm", flags: "--depth 1,2,4,8", on: shown},
	{model: "mpgk-ra", flags: "--iterations 1,2,3,4"},
	{model: "gcn", on: shown},
	{model: "gin", on: shown},
}

// shown is what vertices show where there are labels and attributes.
var shown = map[string]string{"ENZYMES": "--features attributes+labels", "PROTEINS": "--features labels"}
