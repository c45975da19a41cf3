package web

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
)

// A waterfall is one question over time.
type waterfall struct {
	Ticks  []tick
	First  []firstLine // with X on the axis of the bars
	Rows   []fall
	Left   int // rows that are not shown
	Legend []key
}

// A fall is one row of the waterfall.
type fall struct {
	Class  string
	Span   string // its id; "" when no span stands for it
	Name   string
	X, W   string
	Time   time.Duration
	Notes  []string
	Cold   bool
	Ghost  *ghost
	Path   []piece
	Failed bool
}

// A ghost is how long it usually takes.
type ghost struct {
	W    string // "": too short to be drawn
	Time time.Duration
}

type piece struct{ X, W string }

// maxRows is how many rows are shown; of more, the longest.
const maxRows = 500

// narrowest is the least part of the axis that a bar takes, so that it is seen.
const narrowest = 0.0015

func drawWaterfall(l *diagnose.Layout, warm *usual) *waterfall {
	total := l.Rows[0].End
	w := &waterfall{}
	axis := total
	if warm != nil {
		axis = max(axis, min(warm.e2e, 2*total)) // the ghost of a quick question reaches beyond it
	}
	at := func(d time.Duration) string { return percent(float64(d), float64(axis)) }
	for _, t := range ticksOf(max(axis, 1), 6) {
		w.Ticks = append(w.Ticks, tick{at(t), report.Duration(t)})
	}
	for _, f := range firstLines(l.First) {
		f.X = at(f.At)
		w.First = append(w.First, f)
	}
	ghosts := ghostsOf(l, warm)
	seen := make(map[diagnose.Component]bool)
	shownRows := longestRows(l.Rows)
	w.Left = len(l.Rows) - len(shownRows)
	for _, i := range shownRows {
		r := &l.Rows[i]
		f := fall{
			Class: "f", Name: rowName(r), X: at(r.Start), W: percent(max(float64(r.End-r.Start), narrowest*float64(axis)), float64(axis)),
			Time: r.End - r.Start, Cold: r.Cold, Failed: r.Failed,
		}
		switch r.Kind {
		case diagnose.RowInside:
			f.Class = "i " + looks[r.Component].class
			seen[r.Component] = true
		case diagnose.RowOutside:
			f.Class = "o " + looks[r.Component].class
			seen[r.Component] = true
		case diagnose.RowGap:
			f.Class = "o g"
			seen[diagnose.Gap] = true
		}
		f.Class += " d" + strconv.Itoa(min(r.Depth, 8))
		if r.Span != nil {
			f.Span = r.Span.SpanID.String()
		}
		if r.Cold {
			f.Notes = append(f.Notes, "cold")
		}
		if r.Failed {
			f.Notes = append(f.Notes, strings.TrimSpace("failed "+shownUpTo(failure(r), 24)))
		}
		if d, ok := ghosts[i]; ok && max(d, f.Time) >= axis/200 {
			f.Ghost = &ghost{Time: d}
			if d >= axis/200 {
				f.Ghost.W = percent(float64(d), float64(axis))
			}
		}
		for _, p := range r.Path {
			d := float64(p.End - p.Start)
			if d < narrowest*float64(axis) && d < float64(r.End-r.Start)/2 {
				continue // what is left of a span between those below it would be seen as dots
			}
			f.Path = append(f.Path, piece{at(p.Start), percent(max(d, narrowest*float64(axis)), float64(axis))})
		}
		w.Rows = append(w.Rows, f)
	}
	for _, c := range stacked {
		if seen[c] {
			w.Legend = append(w.Legend, key{looks[c].class, looks[c].name, c.InsideLLM()})
		}
	}
	return w
}

func failure(r *diagnose.Row) string {
	if r.Span == nil {
		return ""
	}
	return r.Span.Attrs.String("error.type")
}

// rowName is the span's name, after its stage where the name does not tell it.
func rowName(r *diagnose.Row) string {
	name := shownUpTo(r.Name, 80)
	if r.Span == nil || strings.Contains(name, r.Stage) {
		return name
	}
	return r.Stage + ": " + name
}

// ghostsOf is what is usual of rows: of the root, and of what a row holds when no other row has any of it. Of components with
// several rows it stands at the longest.
func ghostsOf(l *diagnose.Layout, warm *usual) map[int]time.Duration {
	ghosts := make(map[int]time.Duration)
	if warm == nil {
		return ghosts
	}
	ghosts[0] = warm.e2e
	usual := warm.components()
	type counts [32]int // rows by component
	below := make([]counts, len(l.Rows))
	longest := make(map[diagnose.Component]int)
	for i := len(l.Rows) - 1; i > 0; i-- {
		r := &l.Rows[i]
		if c := r.Component; r.Kind != diagnose.RowFrame {
			below[i][c]++
			if at, ok := longest[c]; !ok || r.End-r.Start >= l.Rows[at].End-l.Rows[at].Start {
				longest[c] = i
			}
		}
		for c, n := range below[i] {
			below[r.Parent][c] += n
		}
	}
	for i := 1; i < len(l.Rows); i++ {
		r := &l.Rows[i]
		if r.Failed || r.Kind == diagnose.RowFrame && r.Stage != "llm" {
			continue
		}
		sum, all, parts := time.Duration(0), true, 0
		for c, n := range below[i] {
			// Connections are set up anywhere, and of an answer only what comes after the last token counts.
			if c := diagnose.Component(c); n == 0 || c == diagnose.Connect && r.Component != c || c == diagnose.Answer {
				continue
			}
			sum += usual[c]
			parts++
			all = all && n == below[0][c]
		}
		switch {
		case parts > 0 && all:
			if r.Stage == "llm" {
				sum += usual[diagnose.Transport]
			}
			ghosts[i] = sum
		case parts == 1 && longest[r.Component] == i:
			ghosts[i] = usual[r.Component]
		}
	}
	return ghosts
}

// longestRows are the places of the rows to show, with the rows that they stand below.
func longestRows(rows []diagnose.Row) []int {
	places := make([]int, len(rows))
	for i := range places {
		places[i] = i
	}
	if len(rows) <= maxRows {
		return places
	}
	slices.SortStableFunc(places, func(a, b int) int {
		return cmp.Compare(rows[b].End-rows[b].Start, rows[a].End-rows[a].Start)
	})
	kept := make(map[int]bool, maxRows)
	for _, i := range places {
		var chain []int
		for ; i >= 0 && !kept[i]; i = rows[i].Parent {
			chain = append(chain, i)
		}
		if len(kept)+len(chain) > maxRows {
			continue
		}
		for _, i := range chain {
			kept[i] = true
		}
	}
	places = places[:0]
	for i := range rows {
		if kept[i] {
			places = append(places, i)
		}
	}
	return places
}

type rowJSON struct {
	Span   string         `json:"span_id,omitempty"`
	Name   string         `json:"name"`
	Stage  string         `json:"stage"`
	Kind   string         `json:"kind"`
	Parent int            `json:"parent"`
	Start  float64        `json:"start_ms"`
	End    float64        `json:"end_ms"`
	Failed bool           `json:"failed,omitempty"`
	Cold   bool           `json:"cold,omitempty"`
	Path   [][2]float64   `json:"critical_path_ms,omitempty"`
	Attrs  map[string]any `json:"attributes,omitempty"`
}

var kindNames = [...]string{"frame", "inside", "outside", "gap"}

func rowsJSON(l *diagnose.Layout) []rowJSON {
	rows := make([]rowJSON, len(l.Rows))
	for i := range l.Rows {
		r := &l.Rows[i]
		rows[i] = rowJSON{
			Name: r.Name, Stage: r.Stage, Kind: kindNames[r.Kind], Parent: r.Parent, Start: millis(r.Start), End: millis(r.End),
			Failed: r.Failed, Cold: r.Cold,
		}
		if r.Span != nil {
			rows[i].Span, rows[i].Attrs = r.Span.SpanID.String(), finite(r.Span.Attrs)
		}
		for _, p := range r.Path {
			rows[i].Path = append(rows[i].Path, [2]float64{millis(p.Start), millis(p.End)})
		}
	}
	return rows
}
