package main

import (
	"fmt"
	"strings"
)

// treegPaper is "TREE-G: Decision Trees Contesting Graph Neural Networks".
func treegPaper() *paper {
	p := &paper{
		name: "treeg", title: "TREE-G: Decision Trees Contesting Graph Neural Networks",
		authors: "Bechler-Speicher, Globerson and Gilad-Bachrach, AAAI 2024",
		about: `The paper's protocol is the honest one, so there is no second column. *Graphs*: nested cross-validation, ten
folds with five inner ones; HIV by a scaffold split, the area under the ROC curve. *Vertices*: the public splits,
settings chosen by the validation part, the mean of ten runs; one run here.

The grid has 18 settings: walks to d = 0, 1, 2, subsets of up to a = 0, 1, 2 nodes above, 20 or 50 trees by boosting;
a = 0 and d = a = 0 are rows of their own. Trees of MUTAG, NCI1, ENZYMES, Mutagenicity and IMDB-BINARY have a depth of
up to 10 (appendix D.4); those of the other sets have at most 10 leaves, as in the published code, which takes a third
of the time. With 10 leaves TREE-G has 87.3 on MUTAG, 78.2 on NCI1, 57.8 on ENZYMES and 79.8 on Mutagenicity, a = 0
52.5 on ENZYMES, d = a = 0 40.0 there and 69.4 on NCI1. In the row of TREE-G sets of 600 graphs and more are searched
by successive halving over the inner folds.
Of several classes trees tell one from all others (appendix D.2). Vertices show their
labels as in the paper's table 4, those of the IMDB sets, which have none, their degrees.
[treeg.md](../results/treeg.md) tells more: static features, walk types, cost.`,
	}
	graphs := table{
		title: "Table 1: graphs", measured: "accuracy in percent", rows: treegRows, grid: 18,
		sets: []string{"PROTEINS", "MUTAG", "DD", "NCI1", "PTC_MR", "ENZYMES", "Mutagenicity"},
	}
	vertices := table{
		title: "Table 2: vertices", measured: "accuracy in percent, for County the root mean square error", grid: 18,
		rows: append(treegRows[:3:3], "extremely randomised trees", treegHalves),
		sets: []string{"Cora", "Citeseer", "Pubmed", "Arxiv", "Cornell", "Actor", "County"},
		note: `Two rows are not in the paper. Where few examples have many features, averages over drawn thresholds do what
boosting does not: extremely randomised trees. The last row of Cora is TREE-G (walks to 2, subsets of up to 2 nodes
above, 50 trees) by two stratified folds of all vertices, so that it learns from half of them.`,
	}
	more := table{
		title:    "Table 3: graphs without labels, and HIV",
		measured: "accuracy in percent, for HIV the area under the ROC curve",
		rows:     append(treegRows[:3:3], "d = a = 0, no features"), grid: 18,
		sets: []string{"IMDB-BINARY", "IMDB-MULTI", "HIV"},
	}
	for _, t := range []*table{&graphs, &vertices, &more} {
		for r, row := range t.rows {
			for s, set := range t.sets {
				c := cell{name: strings.ToLower(set) + "-" + treegShort[r], row: row, set: set}
				if r < len(treegRows) {
					f := treegTables[row][t.title[:7]][s]
					c.mean, c.std = f[0], f[1]
				}
				c.reason = treegReasons[c.name]
				c.errors = set == "County"
				switch {
				case set == "Pubmed" || set == "Arxiv":
					c.missing = "the data set " + set
				case row == "extremely randomised trees" && treegDrawn[set] == "",
					row == treegHalves && set != "Cora", row == "d = a = 0, no features" && set == "HIV":
					continue
				default:
					var line string
					line, c.share = treegCommand(row, set)
					c.jobs = both(line, "")
				}
				if set == "HIV" {
					c.share += "; another scaffold split than the paper's"
				}
				t.cells = append(t.cells, c)
			}
		}
	}
	p.tables = []table{graphs, vertices, more}
	p.figures = treegFigures()
	return p
}

var (
	treegRows  = []string{"d = a = 0", "a = 0", "TREE-G"}
	treegShort = []string{"features", "walks", "subsets", "more", "halves"}
)

const treegHalves = "TREE-G, two folds"

// treegTables are the figures by row and table.
var treegTables = map[string]map[string][][2]float64{
	"d = a = 0": {
		"Table 1": {{73.4, .9}, {86.1, 6.0}, {74.4, 4.7}, {70.4, .7}, {54.5, 1.3}, {58.5, .9}, {77.0, 1.9}},
		"Table 2": {{80.3, 2.1}, {70.2, 2.0}, {74.0, .5}, {67.1, 1.5}, {71.0, .9}, {29.1, .5}, {1.9, .2}},
		"Table 3": {{72.6, 2.4}, {52.3, 1.5}, {70.1, .5}},
	},
	"a = 0": {
		"Table 1": {{74.7, .9}, {89.3, 7.6}, {76.0, 4.5}, {73.6, 2.2}, {59.0, .8}, {58.1, 3.9}, {77.2, 1.5}},
		"Table 2": {{80.8, .5}, {74.3, 1.9}, {72.9, 1.6}, {67.5, .6}, {71.8, 1.4}, {32.5, 1.7}, {1.2, .8}},
		"Table 3": {{72.5, 2.7}, {52.7, 1.5}, {78.5, 1.1}},
	},
	"TREE-G": {
		"Table 1": {{75.6, 1.1}, {91.1, 3.5}, {76.2, 4.5}, {75.9, 1.5}, {59.1, .7}, {59.6, .9}, {83.0, 1.7}},
		"Table 2": {{83.5, 1.5}, {74.5, 1.0}, {78.0, 3.1}, {74.7, 1.1}, {73.0, 1.4}, {37.0, .4}, {.9, .1}},
		"Table 3": {{73.0, 2.4}, {56.4, .9}, {83.5, 2.9}},
	},
}

// treegDrawn are the settings of extremely randomised trees.
var treegDrawn = map[string]string{
	"Cora":     "--estimators 300 --step mean --walk-length 3 --ancestors 0",
	"Citeseer": "--estimators 300 --step mean --walk-length 3 --ancestors 0",
	"Cornell":  "--estimators 100 --step mean --walk-length 2 --ancestors 2",
	"Actor":    "--estimators 100 --min-leaf 8 --step mean --walk-length 0,1,2 --ancestors 0",
}

// treegReasons say why Grove is behind.
var treegReasons = map[string]string{
	"enzymes-features": "the paper's table 4 has three features of a vertex, which are its labels. With the 18 " +
		"attributes beside them (no --features) the same trees have 66.7, so the paper's have likely seen more than labels.",
	"enzymes-walks": "as for d = a = 0: labels alone.",
	"cora-features": fewLabelled, "cora-walks": fewLabelled, "cora-subsets": fewLabelled,
	"citeseer-features": fewLabelled, "citeseer-walks": fewLabelled, "citeseer-subsets": fewLabelled,
	"imdb-multi-subsets": "walks and subsets add nothing to the degrees here, which alone are where the paper's row " +
		"d = a = 0 is.",
	"hiv-subsets": "as for a = 0.",
	"hiv-walks": "the scaffold split of the fair folds is not that of the paper; walks and subsets do not help on it. " +
		"Charge, aromaticity, hydrogens, degree, rings and chirality beside the elements (`--atom-attributes`), of the " +
		"paper's nine features of an atom, have 75.3 without walks and 73.9 with walks of length 1.",
	"actor-subsets": "one setting of 18, with 20 trees: neither walks nor subsets help here, 50 trees without both " +
		"have 32.5.",
	"county-subsets": "there is no public split; ten folds here. Walks and subsets help as they do in the paper, but by " +
		"less; which columns and counties the paper had is not said.",
	"mutagenicity-features": "the paper's table 4 has 7 features where the data set has 14 labels. More trees do not " +
		"help (200 have 74.0), nor other depths (6 has 73.6, 16 has 73.0) or a forest (73.9). With degrees beside the " +
		"labels, as an attribute, the same trees have 75.1, within the paper's deviation: its vertices may have shown more.",
}

const fewLabelled = "20 vertices of a class have thousands of words, of which a boosted tree takes the few that " +
	"separate them; averages over drawn thresholds have 81.8 on Cora and 69.2 on Citeseer. Learned from half of the " +
	"vertices of Cora in place of 20 of a class, TREE-G has 83.5, the paper's figure; but without walks, from all 1208 " +
	"vertices that are neither validated nor tested, trees have 71.1 for its 80.3, so how the paper learned stays open."

// treegCommand is the command of a cell, with the share of the settings of its row. Large sets have the largest setting
// alone.
func treegCommand(row, set string) (line, share string) {
	data := "tu/" + set
	switch set {
	case "Cora", "Citeseer", "Cornell", "Actor", "County":
		data = "node/" + set
	case "HIV":
		data = "molecules/HIV"
	}
	line = "grove eval treeg --data $GROVE_DATA/" + data
	if row == "extremely randomised trees" {
		return line + " --ensemble extra-trees " + treegDrawn[set] + " --seed 1", "settings of its own"
	}
	walks, ancestors, trees, share := "0,1,2", "0,1,2", "20,50", "all"
	settings := 18
	if row != "TREE-G" && row != treegHalves {
		ancestors, settings = "0", 6
	}
	if strings.HasPrefix(row, "d = a = 0") {
		walks, settings = "0", 2
	}
	switch set {
	case "NCI1", "Mutagenicity":
		if walks == "0" {
			break
		}
		fallthrough
	case "DD", "Cora", "Citeseer", "Actor":
		walks, ancestors, trees = walks[len(walks)-1:], ancestors[len(ancestors)-1:], "50"
		share = fmt.Sprintf("1 of %d", settings)
		if set == "Actor" && walks != "0" {
			trees = "20"
		}
	}
	if strings.HasPrefix(set, "IMDB") && !strings.HasSuffix(row, "no features") {
		line += " --features degrees"
	}
	switch set {
	case "ENZYMES":
		line += " --features labels --loss one-vs-all"
	case "PROTEINS":
		line += " --features labels"
	case "IMDB-MULTI", "Cora", "Citeseer", "Cornell", "Actor":
		line += " --loss one-vs-all"
	case "County":
		line += " --target unemployment_rate_2016"
	case "HIV":
		line += " --target HIV_active --folds $GROVE_DATA/folds-fair/HIV --inner $GROVE_DATA/folds-fair/HIV --metric roc-auc"
	}
	switch set {
	case "MUTAG", "NCI1", "ENZYMES", "Mutagenicity", "IMDB-BINARY":
		line += " --leaves 0 --max-depth 10"
	}
	line += fmt.Sprintf(" --walk-length %s --ancestors %s --estimators %s", walks, ancestors, trees)
	switch set {
	case "PROTEINS", "ENZYMES", "IMDB-BINARY", "IMDB-MULTI":
		if row == "TREE-G" {
			line, share = line+" --halving", "all, by halving"
		}
	}
	if row == treegHalves {
		line, share = line+" --cv 2", "1 setting"
	}
	return line + " --seed 1", share
}

// treegFigures are the figures of measurements and explanations; figures 1 to 5 draw what is meant, and proofs.
func treegFigures() []figure {
	explained := func(name, title, about, make, data, flags string) figure {
		f := figure{name: name, title: title, about: about}
		if make != "" {
			f.commands = append(f.commands, make)
		}
		f.commands = append(f.commands,
			fmt.Sprintf("grove data split %s --parts 5 --seed 1 --out build/papers/%s --overwrite", data, name),
			fmt.Sprintf("grove train treeg --data build/papers/%s/train --walk-length 2 --ancestors 2 --estimators 50 --seed 1"+
				" -o build/papers/%[1]s/model.grove", name),
			fmt.Sprintf("grove explain --model build/papers/%s/model.grove --data build/papers/%[1]s/test --index all --class 1"+
				" --limit 2%s -o docs/papers/images/%[1]s.svg", name, flags))
		return f
	}
	walks := func(n, name, task string) figure {
		return figure{
			name: "treeg-walks-" + name, title: "Figure " + n + ": " + task,
			image: "../results/images/treeg-walks-" + name + ".svg",
			about: "[treeg.md](../results/treeg.md) has its command and the figures of all four tasks.",
		}
	}
	return []figure{
		explained("treeg-red", "Figure 6a: the red isolated vertex",
			"Two graphs of the test part (a fifth of 1000 graphs of 50 vertices); vertex size is importance, the cause marked.",
			"grove data synth red-isolated --graphs 1000 --vertices 50 --seed 1 --out build/papers/red-isolated --overwrite",
			"build/papers/red-isolated", ""),
		explained("treeg-mutagenicity", "Figure 6b: Mutagenicity",
			"Two molecules of the test part (a fifth of the molecules); vertex size is importance.",
			"", "$GROVE_DATA/tu/Mutagenicity", " --bonds single,double,triple"),
		{
			name: "treeg-tree", title: "Figure 7: a tree of MUTAG", image: "../results/images/treeg-tree.svg",
			about: "[treeg.md](../results/treeg.md) has its commands.",
		},
		walks("8", "start", "walks that start in red vertices"),
		walks("9", "end", "walks that end in red vertices"),
		walks("10", "same", "walks that start and end in the same red vertex"),
		walks("11", "between", "walks from red to red vertices"),
	}
}
