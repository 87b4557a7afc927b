package main

import (
	"fmt"
	"time"

	"github.com/grove-graph/grove/internal/cputime"
	"github.com/grove-graph/grove/model"
)

// laps divides calls of a function into the parts that it reports as its progress.
type laps struct {
	names []string // of the parts, in order of first appearance
	parts map[string]*timing

	current string // part that runs, "" for none
	cpu     float64
	start   time.Time
}

// progress returns the callback that a call reports to. A part is a stage of a layer: it begins with its
// report and ends with the next one.
func (l *laps) progress() model.Progress {
	return func(stage string, done, total int) {
		l.end()
		if done < total {
			l.begin(fmt.Sprintf("%s, layer %d", stage, done+1))
		}
	}
}

func (l *laps) begin(name string) {
	if l.parts == nil {
		l.parts = map[string]*timing{}
	}
	if l.parts[name] == nil {
		l.names = append(l.names, name)
		l.parts[name] = &timing{}
	}
	l.current, l.cpu, l.start = name, cputime.Seconds(), time.Now()
}

func (l *laps) end() {
	if l.current == "" {
		return
	}
	part := l.parts[l.current]
	part.Wall = append(part.Wall, time.Since(l.start).Seconds())
	part.CPU = append(part.CPU, cputime.Seconds()-l.cpu)
	l.current = ""
}

// results returns the parts of all calls but the first, the warm-up.
func (l *laps) results(prefix string, on place) []result {
	var out []result
	for _, name := range l.names {
		t := *l.parts[name]
		if len(t.Wall) > 1 {
			t = timing{Wall: t.Wall[1:], CPU: t.CPU[1:]}
		}
		out = append(out, newResult(prefix+": "+name, on, t))
	}
	return out
}
