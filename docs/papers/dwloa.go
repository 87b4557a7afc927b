package main

import "strings"

// dwlPaper is "Deep Weisfeiler-Lehman Assignment Kernels via Multiple Kernel Learning".
func dwlPaper() *paper {
	p := &paper{
		name: "dwl-oa", title: "Deep Weisfeiler-Lehman Assignment Kernels via Multiple Kernel Learning",
		authors: "Kriege, ESANN 2019",
		about: `The paper's protocol is nested: ten folds drawn at random, C from 10⁻³ to 10³ and λ chosen inside the
training part, the whole repeated ten times; the deviation is that of the ten means. It ignores the labels of
vertices. The text at hand has lost three numbers. The rounds of refinement are 4 here, picked by the paper's own
figures: with 3, 4 and 5 of them WL has 74.8, 79.5 and 80.8 on NCI1, WL-OA 75.4, 78.7 and 80.9, where the paper has 78.9
and 78.6. The groups of colours of DWL-OA2 are 8, picked by looking at PTC_MR and PROTEINS with labels, the values of λ
0.1, 0.5 and 0.9.

Everything is learned from the training part of each fold, so the paper's protocol is the honest one, too; there is no
column for another. Kernel values of WL and WL-OA are as they are (--raw-kernel): divided by those of the graphs with
themselves, which is Grove's default, WL loses four and a half points on MUTAG without labels and WL-OA one and a
half, so the paper does not seem to divide. The second table is not in the paper: the same with the labels of
vertices, and with divided values in WL and WL-OA.`,
	}
	sets := []string{"MUTAG", "PTC_MR", "NCI1", "NCI109", "PROTEINS", "DD", "REDDIT-BINARY"}
	rows := []string{"WL", "WL-OA", "DWL-OA1", "DWL-OA2"}
	blind := table{title: "Table 1: without labels", measured: "accuracy in percent", sets: sets, rows: rows}
	labelled := table{
		title: "With the labels of vertices", measured: "accuracy in percent", rows: rows,
		sets: []string{"MUTAG", "PTC_MR", "NCI1", "PROTEINS", "DD"},
	}
	for _, row := range rows {
		for s, set := range sets {
			f := dwlTable[row][s]
			c := cell{name: strings.ToLower(set + "-" + row), row: row, set: set, mean: f[0], std: f[1]}
			c.reason = dwlReasons[c.name]
			if set == "NCI109" {
				c.missing = "the data set NCI109"
			} else {
				c.jobs, c.share = dwlJobs(row, set, true)
			}
			blind.cells = append(blind.cells, c)
			if set != "NCI109" && set != "REDDIT-BINARY" {
				c := cell{name: strings.ToLower(set + "-" + row + "-labels"), row: row, set: set}
				c.jobs, c.share = dwlJobs(row, set, false)
				labelled.cells = append(labelled.cells, c)
			}
		}
	}
	p.tables = []table{blind, labelled}
	return p
}

// dwlTable is table 1: mean and deviation on each data set. Zeros are those for which the paper's memory was short.
var dwlTable = map[string][][2]float64{
	"WL":      {{88.3, 1.2}, {54.5, 2.5}, {78.9, .6}, {79.6, .3}, {70.6, .5}, {73.2, .4}, {71.7, .3}},
	"WL-OA":   {{88.6, 1.0}, {55.8, 2.3}, {78.6, .3}, {78.8, .6}, {73.8, .4}, {75.7, .3}, {88.5, .3}},
	"DWL-OA1": {{88.1, 1.0}, {56.7, 2.3}, {}, {}, {}, {}, {}},
	"DWL-OA2": {{88.5, .9}, {57.6, 1.3}, {78.9, .2}, {78.5, .2}, {72.5, .4}, {76.7, .3}, {86.9, .2}},
}

// dwlReasons say why Grove is behind.
var dwlReasons = map[string]string{
	"mutag-dwl-oa1": "the values of λ are not known: 0.1, 0.2, ..., 1 have 86.7. With five rounds, λ = 0.5 alone and " +
		"weights of length 1 in place of sum 1 (`--weight-norm l2`) had 86.0, where three values had 85.8. " +
		dwlByTest + "87.4.",
	"ptc_mr-dwl-oa2": "neither the values of λ nor the number of groups are known: 2, 3, 4 and 6 groups have 55.9, " +
		"55.9, 54.9 and 55.7; 8 groups and five rounds had 56.3, 8 groups and ten values of λ have 55.5. " +
		dwlByTest + "56.8.",
	"dd-dwl-oa2": "neither the values of λ nor the number of groups are known; without groups 76.3. " + dwlByTest +
		"76.3, too.",
	"proteins-wl-oa": "five rounds have 73.1, two and three (one repeat, on a fifth of the training part) 72.4 and " +
		"72.7, divided kernel values 73.0. " + dwlByTest + "73.4, within the paper's deviation.",
}

// dwlByTest is what shows how much of a gap the choice inside the training part can be.
const dwlByTest = "Chosen by the test folds of the first repeat (`--selection published`), the ten repeats have "

// dwlJobs are the commands of a cell.
func dwlJobs(row, set string, blind bool) (jobs []job, share string) {
	model := map[string]string{"WL": "wl", "WL-OA": "wl-oa", "DWL-OA1": "dwl-oa", "DWL-OA2": "dwl-oa"}[row]
	line, share := "grove eval "+model+" --data $GROVE_DATA/tu/"+set+" --iterations 4", "all"
	deep := strings.HasPrefix(row, "DWL")
	if blind {
		line += " --features none"
	}
	if blind && !deep {
		line += " --raw-kernel"
	}
	if deep {
		share = "3 values of λ"
	}
	switch {
	case set == "MUTAG", set == "PTC_MR", set == "PROTEINS":
		line += " --repeats 10"
	case blind && (set == "DD" || !deep && set == "REDDIT-BINARY"):
		line, share = line+" --repeats 10 --inner 1/5", share+", on a fifth of the training part"
	default:
		line, share = line+" --inner 1/5", share+", one repeat of ten, on a fifth of the training part"
	}
	if deep {
		line += " --lambda 0.1,0.5,0.9"
	}
	if row == "DWL-OA2" {
		line += " --groups 8"
	}
	return both(line+" --seed 1", ""), share
}
