// Package near finds which of the known names somebody may have meant.
//
// Words come in and names go out. It imports the standard library only.
package near

import (
	"cmp"
	"slices"
	"strings"
)

// most is how many names are worth suggesting.
const most = 3

// Names are the known names that word may have meant, the nearest first: those that a few slips of the finger lead to, and
// those that contain it or are contained in it.
func Names(word string, known []string) []string {
	word = strings.ToLower(word)
	type candidate struct {
		name     string
		distance int
	}
	var found []candidate
	for _, name := range known {
		lower := strings.ToLower(name)
		d := distance(word, lower)
		part := len(word) >= 3 && (strings.Contains(lower, word) || strings.Contains(word, lower))
		if d <= len(name)/3 || part {
			found = append(found, candidate{name, d})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	names := make([]string, 0, most)
	for _, c := range found[:min(len(found), most)] {
		names = append(names, c.name)
	}
	return names
}

// distance is how many letters to change, drop, add or swap with their neighbour lead from a to b.
func distance(a, b string) int {
	// rows[i][j] is the distance between a[:i] and b[:j].
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
