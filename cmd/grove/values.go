package main

import (
	"errors"
	"fmt"

	"github.com/grove-graph/grove/model/param"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// declare makes flags of the parameters of a model.
func declare(fs *pflag.FlagSet, s *param.Set) {
	for _, p := range s.All() {
		f := fs.VarPF(p, p.Name, "", p.Usage)
		f.NoOptDefVal = p.Alone
		if p.Words != nil {
			annotateWords(fs, p.Name, p.Words)
		}
	}
}

// bound gives the numbers of a flag their range: what the arithmetic behind it bears.
func bound(fs *pflag.FlagSet, name string, least, most float64) {
	f := fs.Lookup(name)
	f.Value = param.Bounded(f.Value, least, most)
}

// choiceVar declares a flag that takes one of a few words. The shell completes them.
func choiceVar[T ~string](fs *pflag.FlagSet, value *T, name string, allowed []T, usage string) {
	fs.Var(param.One(value, param.Word(allowed...)), name, usage)
	annotateWords(fs, name, allowed)
}

// annotateWords makes help list the words that a flag takes, and the shell complete them.
func annotateWords[T ~string](fs *pflag.FlagSet, name string, words []T) {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = string(w)
	}
	_ = fs.SetAnnotation(name, "words", texts)
}

// completeWords makes the shell complete the flags that take one of a few words, of a command and of all below it. It
// is for a command line that asks for completions: cobra keeps what is registered for the life of the process.
func completeWords(c *cobra.Command) {
	register := func(f *pflag.Flag) {
		if words := f.Annotations["words"]; len(words) > 0 {
			_ = c.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
		}
	}
	c.Flags().VisitAll(register)
	c.PersistentFlags().VisitAll(register)
	for _, child := range c.Commands() {
		completeWords(child)
	}
}

// asUsage makes what is wrong with a parameter a mistake of the command line, which names the flag.
func asUsage(err error) error {
	var wrong *param.Error
	if !errors.As(err, &wrong) {
		return err
	}
	if wrong.Name == "" {
		return &usageError{wrong}
	}
	return &usageError{fmt.Errorf("--%w", wrong)}
}

func parseName(text string) (string, error) {
	if text == "" {
		return "", fmt.Errorf("an empty name")
	}
	return text, nil
}
