package source

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
)

// requestBegins is how a line begins that begins a request: one with spans, or with the metrics and logs that may stand
// between them.
var requestBegins = regexp.MustCompile(`(?m)^\{\s*"resource_?(?:Spans|spans|Metrics|metrics|Logs|logs)"`)

// wholeRequest is how large a request may be that is looked at as a whole.
const wholeRequest = 8 << 20

// spansBegin is how a request with spans begins.
var spansBegin = regexp.MustCompile(`^\s*\{\s*"(?:resourceSpans|resource_spans)"`)

// wellMade is the batch of a text that is one request and nothing else; otherwise there is none, and it is to be looked at
// closely.
func wellMade(text []byte) *otlp.Batch {
	if len(text) == wholeRequest || !spansBegin.Match(text) || !json.Valid(text) {
		return nil
	}
	batch, err := otlp.SplitJSON(text)
	if err != nil {
		return nil
	}
	return batch
}

// readJSON reads requests of OTLP/JSON. After one that is broken it goes on where a line begins as a request does.
func readJSON(r *bufio.Reader, yield func(*otlp.Batch, error) bool) {
	p := &part{r: r, lineStart: true}
	for p.err == nil {
		p.fresh = true
		before := p.lines
		text, err := io.ReadAll(io.LimitReader(p, wholeRequest))
		if batch := wellMade(text); err == nil && batch != nil {
			batch.Line = before + 1 + bytes.Count(text[:bytes.IndexByte(text, '"')], []byte{'\n'})
			if !yield(batch, nil) {
				return
			}
			continue
		}
		for batch, err := range otlp.ReadJSON(io.MultiReader(bytes.NewReader(text), p)) {
			if broken, ok := errors.AsType[*otlp.LineError](err); ok {
				broken.Line += before
				if errors.Is(broken.Err, io.ErrUnexpectedEOF) { // many files are one line: it says little
					broken.Err = fmt.Errorf("%w at byte %d", broken.Err, p.bytes)
				}
			}
			if batch != nil {
				batch.Line += before
			}
			if !yield(batch, err) || p.failed() && errors.Is(err, p.err) {
				return
			}
		}
		_, _ = io.Copy(io.Discard, p) // what is behind an error; p keeps an error of its own
	}
	if p.failed() {
		yield(nil, &otlp.LineError{Line: p.lines + 1, Err: p.err})
	}
}

// A part of a file is what may be a request: from a line that begins as one to the next that does. So what is cut off does
// not swallow what follows it. It ends with io.EOF; err tells whether the file has ended too.
type part struct {
	r         *bufio.Reader
	rest      []byte // in r's buffer, of the line that is being read
	lines     int    // that have ended
	bytes     int64  // of the file, unpacked, that were read
	lineStart bool
	fresh     bool // nothing of the part was read
	err       error
}

func (p *part) failed() bool { return p.err != nil && p.err != io.EOF }

func (p *part) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		if p.err != nil {
			return 0, p.err
		}
		if p.lineStart && !p.fresh && p.atRequest() {
			return 0, io.EOF
		}
		p.rest, p.err = p.r.ReadSlice('\n')
		if p.err == bufio.ErrBufferFull {
			p.err = nil
		}
		p.lineStart, p.fresh = false, false
		if n := len(p.rest); n == 0 {
			return 0, p.err
		} else if p.rest[n-1] == '\n' {
			p.lineStart = true
			p.lines++
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	p.bytes += int64(n)
	return n, nil
}

func (p *part) atRequest() bool {
	head, _ := p.r.Peek(64) // an error comes with the next read
	return requestBegins.Match(head)
}
