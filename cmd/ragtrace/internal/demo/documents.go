package demo

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed documents/*.txt
var files embed.FS

// A document is one page of a bicycle workshop's handbook.
type document struct {
	name, text string
}

// handbook is the documents that the demo answers from, in the order of their names.
func handbook() ([]document, error) {
	names, err := fs.Glob(files, "documents/*.txt")
	if err != nil {
		return nil, err
	}
	var all []document
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		name = strings.TrimSuffix(strings.TrimPrefix(name, "documents/"), ".txt")
		all = append(all, document{name, strings.Join(strings.Fields(string(text)), " ")})
	}
	return all, nil
}
