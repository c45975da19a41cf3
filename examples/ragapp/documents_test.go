package main

import (
	"regexp"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestPassagesAreParagraphsUnderTheirTitle(t *testing.T) {
	fsys := fstest.MapFS{
		"documents/a.md": {Data: []byte("# First\n\nOne\nline more.\n\n\n\nTwo.\n")},
		"documents/b.md": {Data: []byte("# Second\nThree.")},
		"documents/c.go": {Data: []byte("no document")},
	}
	got, err := passages(fsys)
	if err != nil {
		t.Fatal(err)
	}
	want := []passage{{"First", "One\nline more."}, {"First", "Two."}, {"Second", "Three."}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(passage{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPassagesRefuseADocumentWithoutTitle(t *testing.T) {
	for _, text := range []string{"", "# Only a title", "Text.\n\nMore."} {
		if got, err := passages(fstest.MapFS{"documents/a.md": {Data: []byte(text)}}); err == nil {
			t.Errorf("passages of %q = %v, want an error", text, got)
		}
	}
}

func TestEmbeddedDocumentsHavePassagesOfTheirOwn(t *testing.T) {
	all, err := passages(documents)
	if err != nil {
		t.Fatal(err)
	}
	uuid := regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	seen := make(map[string]passage)
	for _, p := range all {
		if other, ok := seen[p.id()]; ok || !uuid.MatchString(p.id()) {
			t.Errorf("id %s of %v is no UUID or that of %v", p.id(), p, other)
		}
		seen[p.id()] = p
	}
	if len(all) < 20 {
		t.Errorf("%d passages, want at least 20 for a search to choose from", len(all))
	}
}
