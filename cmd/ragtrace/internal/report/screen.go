package report

import (
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/mattn/go-runewidth"
	"golang.org/x/term"
)

// A Screen is where text goes, and what it can show there. The zero value with a Writer is a plain file in ASCII.
type Screen struct {
	io.Writer
	Width   int  // columns; 80 when it is not set
	Colour  bool // ANSI colours are understood
	Unicode bool // box drawing and block characters are one column wide
}

// NewScreen looks at w and at the environment: colours only on a terminal, and not with NO_COLOR or TERM=dumb; the
// terminal's width, else COLUMNS, and never below 80; Unicode in a UTF-8 locale whose block characters are not wide.
func NewScreen(w io.Writer) Screen {
	s := Screen{Writer: w, Width: 80, Unicode: utf8Locale() && !runewidth.IsEastAsian()}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil {
		s.Width = max(s.Width, n)
	}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		s.Colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
		if n, _, err := term.GetSize(int(f.Fd())); err == nil {
			s.Width = max(80, n)
		}
	}
	return s
}

// utf8Locale reads the locale as the C library does: the first variable that is set decides. None at all is a bare
// container or a service, whose reader is somewhere else and most likely reads UTF-8.
func utf8Locale() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(os.Getenv(name)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true
}

// Columns is the width to fill.
func (s Screen) Columns() int {
	if s.Width == 0 {
		return 80
	}
	return s.Width
}

// An Ink is how a piece of text stands out. It never carries meaning alone: NO_COLOR and files lose it.
type Ink string

// The inks, as ANSI parameters. They leave the background and the exact shade to the reader's terminal.
const (
	Plain   Ink = ""
	Bold    Ink = "1"
	Dim     Ink = "2"
	Red     Ink = "31"
	Green   Ink = "32"
	Yellow  Ink = "33"
	Magenta Ink = "35"
	Cyan    Ink = "36"
)

// Paint is text in ink, where the screen has colours.
func (s Screen) Paint(ink Ink, text string) string {
	if !s.Colour || ink == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(ink) + "m" + text + "\x1b[0m"
}
