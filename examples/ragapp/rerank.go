package main

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// rerank sorts passages by how many of the question's words they have, keeps the order of equal ones, and returns the
// best ones. It stands for a reranking model that runs within the application.
func rerank(question string, found []passage, best int) []passage {
	asked := words(question)
	score := make(map[passage]int, len(found))
	for _, p := range found {
		for w := range words(p.title + " " + p.text) {
			if asked[w] {
				score[p]++
			}
		}
	}
	sorted := slices.Clone(found)
	slices.SortStableFunc(sorted, func(a, b passage) int { return cmp.Compare(score[b], score[a]) })
	return sorted[:min(best, len(sorted))]
}

// words is the set of the words in s of more than three letters; shorter ones say little.
func words(s string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(w) > 3 {
			set[w] = true
		}
	}
	return set
}
