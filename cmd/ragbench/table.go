//go:build linux

package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"
)

// A measure is a line of the table.
type measure struct {
	name string
	of   func(figures) float64
}

var measures = []measure{
	{"spans per CPU-second", func(f figures) float64 { return f.SpansPerCPUSecond }},
	{"  until the last acknowledgement", func(f figures) float64 { return f.AckedPerCPUSecond }},
	{"spans per second, one sender", func(f figures) float64 { return f.SpansPerSecond }},
	{"acknowledgement p50, ms", func(f figures) float64 { return f.AckP50 }},
	{"acknowledgement p95, ms", func(f figures) float64 { return f.AckP95 }},
	{"peak memory, MiB", func(f figures) float64 { return f.PeakMiB }},
	{"disk, bytes a span", func(f figures) float64 { return f.DiskPerSpan }},
	{"trace by id p50, ms", func(f figures) float64 { return f.ReadP50 }},
	{"slow over everything, ms", func(f figures) float64 { return f.Slow }},
}

// writeTable writes the medians over the rounds, and the ratios of the first peer to the others with their spread.
func writeTable(w io.Writer, s *series) error {
	fmt.Fprintf(w, "\n%d spans in %d questions, requests of %d, %d rounds\n", s.Spans, s.Spans/spansPerQuestion,
		questionsPerRequest*spansPerQuestion, s.Rounds)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "\nmedian")
	for _, name := range s.Peers {
		fmt.Fprintf(table, "\t%s", name)
	}
	fmt.Fprintln(table)
	for _, m := range measures {
		fmt.Fprint(table, m.name)
		for _, name := range s.Peers {
			fmt.Fprintf(table, "\t%s", digits(median(m.values(s.Figures[name]))))
		}
		fmt.Fprintln(table)
	}
	if len(s.Peers) > 1 {
		fmt.Fprintf(table, "\n%s to", s.Peers[0])
		for _, name := range s.Peers[1:] {
			fmt.Fprintf(table, "\t%s", name)
		}
		fmt.Fprintln(table)
		for _, m := range measures {
			fmt.Fprint(table, m.name)
			for _, name := range s.Peers[1:] {
				fmt.Fprintf(table, "\t%s", spread(ratios(m.values(s.Figures[s.Peers[0]]), m.values(s.Figures[name]))))
			}
			fmt.Fprintln(table)
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, name := range s.Peers {
		for i, f := range s.Figures[name] {
			if f.Lost != 0 {
				fmt.Fprintf(w, "%s lost %d questions in round %d\n", name, f.Lost, i+1)
			}
		}
	}
	_, err := fmt.Fprint(w, `
CPU time is the server's own, until it rests, so with the work that it puts off. A trace by id
is a request over HTTP. slow is the command, which reads ragtrace's file and Jaeger's API.
`)
	return err
}

func (m *measure) values(all []figures) []float64 {
	var values []float64
	for _, f := range all {
		values = append(values, m.of(f))
	}
	return values
}

// ratios are those of the rounds in which both are known.
func ratios(a, b []float64) []float64 {
	var all []float64
	for i := range a {
		if a[i] > 0 && b[i] > 0 {
			all = append(all, a[i]/b[i])
		}
	}
	return all
}

// median is 0 for nothing.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// spread is the median with the least and the most beside it.
func spread(values []float64) string {
	if len(values) == 0 {
		return "-"
	}
	text := digits(median(values)) + "x"
	if len(values) > 1 {
		text += fmt.Sprintf(" (%s-%s)", digits(slices.Min(values)), digits(slices.Max(values)))
	}
	return text
}

// digits writes a number with two or three significant digits, or - for an unknown one.
func digits(v float64) string {
	switch {
	case v == 0:
		return "-"
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case v >= 0.1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}
