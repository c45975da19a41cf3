package cli

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
)

// helpWidth is how wide help is, wherever it goes.
const helpWidth = 80

// plainHelp lets root and its commands print help that fits helpWidth.
func plainHelp(root *cobra.Command) {
	cobra.AddTemplateFunc("wrapText", wrapText)
	cobra.AddTemplateFunc("wrapFlags", func(f *pflag.FlagSet) string { return f.FlagUsagesWrapped(helpWidth) })
	usage := strings.NewReplacer(
		".LocalFlags.FlagUsages | trimTrailingWhitespaces", "wrapFlags .LocalFlags | trimTrailingWhitespaces",
		".InheritedFlags.FlagUsages | trimTrailingWhitespaces", "wrapFlags .InheritedFlags | trimTrailingWhitespaces",
	)
	root.SetUsageTemplate(usage.Replace(root.UsageTemplate()))
	root.SetHelpTemplate(`{{with (or .Long .Short)}}{{wrapText . | trimTrailingWhitespaces}}

{{end}}{{if or .Runnable .HasSubCommands}}{{.UsageString}}{{end}}`)
}

// wrapText fills the paragraphs of a text anew. Lines that begin with a blank are kept apart, and go on below their text
// when they are too long.
func wrapText(text string) string {
	var lines, paragraph []string
	fill := func() {
		if len(paragraph) > 0 {
			lines = append(lines, report.Wrap(strings.Join(paragraph, " "), helpWidth)...)
			paragraph = nil
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" || line[0] == ' ' {
			fill()
			lines = append(lines, wrapRow(line)...)
		} else {
			paragraph = append(paragraph, line)
		}
	}
	fill()
	return strings.Join(lines, "\n")
}

// rowHead is what stands before the text of a row: the indent, and a name when two blanks follow it.
var rowHead = regexp.MustCompile(`^ +(\S+( \S+)*  +)?`)

// wrapRow wraps an indented line.
func wrapRow(line string) []string {
	head := rowHead.FindString(line)
	if len(line) <= helpWidth {
		return []string{line}
	}
	wrapped := report.Wrap(line[len(head):], helpWidth-len(head))
	for i := range wrapped {
		wrapped[i] = head + wrapped[i]
		head = strings.Repeat(" ", len(head))
	}
	return wrapped
}
