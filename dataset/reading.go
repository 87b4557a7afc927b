package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Reading says how a data set is read where its format leaves a choice.
type Reading struct {
	Molecules Molecules
	Tables    Tables
}

// Open is [Open] for a data set that is read in another way than by default.
func (how Reading) Open(path string) (d *Dataset, err error) {
	err = asOne(path, func() error {
		d, err = how.open(path)
		return err
	})
	return d, err
}

// Tables says how tables of edges, vertices and graphs are read, and the edges, nodes and graphs of node-link JSON,
// whose keys are columns.
type Tables struct {
	// What columns are for, as far as their names do not tell.
	Edges, Vertices, Graphs []Column
	// Tables of the vertices and graphs beside a table of edges; "" for vertices.csv and graphs.csv beside edges.csv.
	VertexTable, GraphTable string
	// Directed makes every line an arc, not an edge.
	Directed bool
}

// Column says what a column is for. It is named as the header names it; where a table has no header, or the name is no
// column, by its number from 1.
type Column struct {
	Role Role
	Name string
}

// String is what a command line calls a column.
func (c Column) String() string { return string(c.Role) + "=" + c.Name }

// Role is what a column is for.
type Role string

// The roles of columns: of tables of edges, of vertices (V) and of graphs (G).
const (
	FromRole      Role = "from"      // the vertex where an edge begins
	ToRole        Role = "to"        // the vertex where it ends
	WeightRole    Role = "weight"    // its weight, a number
	TypeRole      Role = "type"      // its type, which adjacency matrix it belongs to
	LabelRole     Role = "label"     // its label; V: that of the vertex
	GraphRole     Role = "graph"     // the graph it belongs to; V: the same of a vertex
	IDRole        Role = "id"        // V, G: the name of the vertex or graph
	AttributeRole Role = "attribute" // V: a number that models see
	ClassRole     Role = "class"     // V, G: a class to predict
	TargetRole    Role = "target"    // V, G: a number to predict, or a class
	SplitRole     Role = "split"     // V, G: train, val or test
	SkipRole      Role = "skip"      // left out

	valueRole    Role = "value" // a class or number to predict, whichever it looks like
	nameRole     Role = "name of the label"
	directedRole Role = "direction"
)

// EdgeRoles lists the roles that the columns of a table of edges may have.
func EdgeRoles() []Role {
	return []Role{FromRole, ToRole, WeightRole, LabelRole, TypeRole, GraphRole, SkipRole}
}

// VertexRoles lists the roles that the columns of a table of vertices may have.
func VertexRoles() []Role {
	return []Role{IDRole, GraphRole, LabelRole, AttributeRole, ClassRole, TargetRole, SplitRole, SkipRole}
}

// GraphRoles lists the roles that the columns of a table of graphs may have.
func GraphRoles() []Role { return []Role{IDRole, ClassRole, TargetRole, SplitRole, SkipRole} }

// columnName is what a column is called in errors and notes, by its number from 0.
func columnName(header []string, column int) string {
	if column < len(header) && header[column] != "" {
		return header[column]
	}
	return strconv.Itoa(column + 1)
}

// fileError is an error in a file that belongs to no line.
func fileError(file, format string, values ...any) error {
	return fmt.Errorf("%s: %s", file, fmt.Sprintf(format, values...))
}

// rolesOf returns what the columns of a table are for: what was given, then what known makes of their names.
func rolesOf(header []string, width int, given []Column, known func(name string) Role) ([]Role, error) {
	roles := make([]Role, width)
	taken := map[Role]bool{}
	for _, c := range given {
		at := slices.Index(header, c.Name)
		if n, err := strconv.Atoi(c.Name); at < 0 && err == nil && n >= 1 && n <= width {
			at = n - 1
		}
		switch {
		case at < 0 && header == nil:
			return nil, fmt.Errorf("no column %s for %s: there is no header, and the columns are 1 to %d", quoted(c.Name),
				c.Role, width)
		case at < 0:
			return nil, fmt.Errorf("no column %s for %s, there are %s", quoted(c.Name), c.Role, quoted(strings.Join(header,
				", ")))
		case roles[at] != "":
			return nil, fmt.Errorf("column %s is given twice, for %s and %s", columnName(header, at), roles[at], c.Role)
		case taken[c.Role] && c.Role.single():
			return nil, fmt.Errorf("two columns are given for %s", c.Role)
		}
		roles[at], taken[c.Role] = c.Role, true
	}
	for i, name := range header {
		if roles[i] != "" {
			continue
		}
		if role := known(name); role != "" && (!role.single() || !taken[role]) {
			roles[i], taken[role] = role, true
		}
	}
	return roles, nil
}

// single reports whether at most one column of a table has the role.
func (r Role) single() bool {
	return !slices.Contains([]Role{AttributeRole, ClassRole, TargetRole, valueRole, SplitRole, SkipRole}, r)
}

// givenNumbers reports whether the ends of edges are given by the numbers of columns, as for a table without a header.
func givenNumbers(given []Column) bool {
	for _, c := range given {
		if _, err := strconv.Atoi(c.Name); err == nil && (c.Role == FromRole || c.Role == ToRole || c.Role == IDRole) {
			return true
		}
	}
	return false
}

// plainName is the name of a column in small letters and digits, without words that say what tables are about.
func plainName(name string) string {
	name = strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			return c
		}
		return -1
	}, strings.ToLower(name))
	for _, word := range []string{"edge", "arc", "link", "node", "vertex", "graph"} {
		if rest, found := strings.CutPrefix(name, word); found && len(rest) > 2 {
			name = rest
		}
	}
	for cut := true; cut; {
		cut = false
		for _, word := range []string{"id", "node", "vertex"} {
			if rest, found := strings.CutSuffix(name, word); found && rest != "" {
				name, cut = rest, true
			}
		}
	}
	return name
}

// pairsOfEnds lists what the two columns of the ends of an edge are called.
func pairsOfEnds() [][2]string {
	return [][2]string{
		{"source", "target"}, {"src", "dst"}, {"src", "dest"}, {"source", "dest"}, {"source", "destination"}, {"from", "to"},
		{"u", "v"}, {"start", "end"}, {"begin", "end"}, {"node1", "node2"}, {"vertex1", "vertex2"}, {"id1", "id2"},
		{"nodea", "nodeb"}, {"i", "j"}, {"s", "t"}, {"sender", "receiver"}, {"citing", "cited"},
	}
}

// edgeRole returns the role that the columns of a table of edges have by their names.
func edgeRole(header []string) func(name string) Role {
	var plain []string
	for _, name := range header {
		plain = append(plain, plainName(name))
	}
	found := [2]string{}
	for _, pair := range pairsOfEnds() {
		if found[0] == "" && slices.Contains(plain, pair[0]) && slices.Contains(plain, pair[1]) {
			found = pair
		}
	}
	return func(name string) Role {
		switch name = plainName(name); name {
		case "":
			return ""
		case found[0]:
			return FromRole
		case found[1]:
			return ToRole
		case "weight", "w":
			return WeightRole
		case "label", "relation", "bond", "bondtype":
			return LabelRole
		case "type", "kind":
			return TypeRole
		case "graph", "g", "network":
			return GraphRole
		case "directed":
			return directedRole
		}
		return ""
	}
}

// vertexRole returns the role that a column of a table of vertices has by its name.
func vertexRole(name string) Role {
	switch plain := plainName(name); {
	case ownAttribute(name) != name:
		return AttributeRole
	case predicted(name) != "":
		return predicted(name)
	case plain == "node", plain == "vertex", plain == "id":
		return IDRole
	case plain == "graph", plain == "g", plain == "network":
		return GraphRole
	case plain == "label", plain == "type", plain == "kind", plain == "element", plain == "symbol", plain == "atom":
		return LabelRole
	case plain == "labelname":
		return nameRole
	}
	return ""
}

// graphRole returns the role that a column of a table of graphs has by its name. All but its own name is to be
// predicted.
func graphRole(name string) Role {
	switch plain := plainName(name); {
	case predicted(name) != "":
		return predicted(name)
	case plain == "graph", plain == "id", plain == "name", plain == "file", plain == "filename":
		return IDRole
	}
	return valueRole
}

// predicted returns the role of a column that holds what is to be predicted, or says where: "class" or "class NAME" for
// instance.
func predicted(name string) Role {
	word, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(name)), " ")
	switch {
	case word == "class", word == "target", word == "split":
		return Role(word)
	case strings.EqualFold(name, "y"):
		return valueRole
	}
	return ""
}

// ownName is what a class, target or split is called: the name of its column without the word that says which it is,
// unless a mere number would be left of a target.
func ownName(name string) string {
	name = strings.TrimSpace(name)
	word, rest, found := strings.Cut(name, " ")
	if rest = strings.TrimSpace(rest); !found || predicted(word) == "" || rest == "" {
		return name
	}
	if _, err := strconv.Atoi(rest); err == nil && predicted(word) != SplitRole {
		return name
	}
	return rest
}
