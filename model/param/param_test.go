package param_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/model/param"
)

// declared is a set with a value of every form.
func declared() (*param.Set, *struct {
	n     int
	list  []int
	x     float64
	on    bool
	word  string
	words []string
	text  string
}) {
	v := new(struct {
		n     int
		list  []int
		x     float64
		on    bool
		word  string
		words []string
		text  string
	})
	v.list, v.word, v.words = []int{1, 2}, "fast", []string{"a"}
	s := new(param.Set)
	s.Int(&v.n, "n", 1, 9, "")
	s.Ints(&v.list, "list", 0, 9, "")
	s.Float(&v.x, "x", param.Tiny, 2, "")
	s.Bool(&v.on, "on", "")
	param.Choice(s, &v.word, "word", []string{"fast", "exact"}, "")
	param.Choices(s, &v.words, "words", []string{"a", "b", "c"}, "")
	s.Text(&v.text, "text", "")
	return s, v
}

func TestValuesAreSetFromText(t *testing.T) {
	s, v := declared()
	for name, text := range map[string]string{
		"n": "7", "list": "3, 4", "x": "1.5", "on": "true", "word": "exact", "words": "b,c", "text": "a,b",
	} {
		if s.Given(name) {
			t.Errorf("%s is given before it is set", name)
		}
		if err := s.Set(name, text); err != nil {
			t.Error(err)
		}
		if !s.Given(name) {
			t.Errorf("%s is not given", name)
		}
	}
	if v.n != 7 || !slices.Equal(v.list, []int{3, 4}) || v.x != 1.5 || !v.on || v.word != "exact" ||
		!slices.Equal(v.words, []string{"b", "c"}) || v.text != "a,b" {
		t.Errorf("%+v", v)
	}
	if got := s.Lookup("list").String(); got != "3,4" {
		t.Errorf("a list reads %q", got)
	}
}

// A value that is refused leaves the one before, and the error names the option, what it was set to and what is right.
func TestMistakesAreNamed(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"n", "ten", `n ten: "ten" is not a whole number from 1 on`},
		{"n", "0", `n 0: "0" is not a whole number from 1 on`},
		{"n", "99999999999999999999", "the number is too large"},
		{"list", "1,,2", `"" is not a whole number from 0 on`},
		{"list", "1,-2", `"-2" is not a whole number from 0 on`},
		{"x", "0", "not a positive number"},
		{"x", "NaN", "not a positive number"},
		{"x", "1e999", "the number is too large"},
		{"on", "yes", "neither true nor false"},
		{"word", "slow", "word slow: want fast or exact"},
		{"words", "a,d", "want a, b or c"},
		{"other", "1", "other: there is no such option"},
	} {
		s, v := declared()
		err := s.Set(c.name, c.text)
		if wrong := new(param.Error); !errors.As(err, &wrong) || wrong.Name != c.name ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %q", c.name, c.text, err, c.want)
		}
		if v.n != 0 || !slices.Equal(v.list, []int{1, 2}) || v.x != 0 || v.on || v.word != "fast" || len(v.words) != 1 {
			t.Errorf("%s %s: refused, and left %+v", c.name, c.text, v)
		}
		if s.Given(c.name) {
			t.Errorf("%s %s: refused and given", c.name, c.text)
		}
	}
	s, _ := declared()
	if err := s.Set("n", "10"); err == nil || !strings.Contains(err.Error(), "n 10: want a number from 1 to 9") {
		t.Errorf("beyond the range: %v", err)
	}
}

func TestWrapKeepsWhatIsKnown(t *testing.T) {
	if param.Wrap(nil) != nil {
		t.Error("nothing is an error")
	}
	known := param.Errorf("c", 3, "too many")
	if param.Wrap(known) != known || known.Error() != "c 3: too many" {
		t.Errorf("%v", param.Wrap(known))
	}
	cause := errors.New("they do not go together")
	if err := param.Wrap(cause); !errors.Is(err, cause) || err.Error() != cause.Error() {
		t.Errorf("%v", err)
	}
}
