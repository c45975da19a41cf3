package main

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed documents/*.md
var documents embed.FS

// A passage is what is embedded, found and quoted.
type passage struct {
	title string // of its document
	text  string
}

// id is a UUID made of the passage itself, so that a second start replaces what the first one stored.
func (p passage) id() string {
	sum := sha256.Sum256([]byte(p.title + "\n" + p.text))
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// passages cuts every document in fsys into its paragraphs. A document's first line is its title.
func passages(fsys fs.FS) ([]passage, error) {
	names, err := fs.Glob(fsys, "documents/*.md")
	if err != nil {
		return nil, err
	}
	var all []passage
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		title, body, ok := strings.Cut(string(text), "\n")
		title, heading := strings.CutPrefix(title, "# ")
		if !ok || !heading {
			return nil, fmt.Errorf("%s: the first line is not a title like %q", name, "# Title")
		}
		for paragraph := range strings.SplitSeq(body, "\n\n") {
			if paragraph = strings.TrimSpace(paragraph); paragraph != "" {
				all = append(all, passage{title, paragraph})
			}
		}
	}
	return all, nil
}
