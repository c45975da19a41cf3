package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// noLimit is for commands that take any number of arguments.
const noLimit = -1

// takes refuses fewer arguments than least and more than most.
func takes(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least {
			_, names, _ := strings.Cut(cmd.Use, " ")
			if len(args) > 0 {
				return usagef("%d of %d arguments: %s wants %s", len(args), least, cmd.CommandPath(), names)
			}
			return usagef("an argument is missing: %s wants %s", cmd.CommandPath(), names)
		}
		if most != noLimit && len(args) > most {
			return usagef("unexpected argument %q", args[most])
		}
		return nil
	}
}

// flagError says in plain words what is wrong with a flag.
func flagError(_ *cobra.Command, err error) error {
	if e, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		what, _ := pflag.UnquoteUsage(e.GetFlag())
		return usagef("--%s wants a value: --%[1]s %s", e.GetFlag().Name, strings.ToUpper(what))
	}
	e, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err
	}
	wants := map[string]string{
		"int": "a whole number", "int64": "a whole number", "duration": "a time such as 90s or 10m", "bool": "true or false",
	}[e.GetFlag().Value.Type()]
	if wants == "" {
		return err
	}
	return usagef("--%s %s: it must be %s", e.GetFlag().Name, fmt.Sprintf("%q", e.GetValue()), wants)
}
