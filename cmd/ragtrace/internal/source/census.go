package source

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"io"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// Census counts how many spans of each trace a file seems to have, without reading them: so often OTLP/JSON names the trace.
// That is many times as fast as ReadFile. It may count too many (links name traces too) and, of a file that spells its names
// in an unusual way, too few. It is nil for other formats, and for a file that ReadFile has more to say of.
func Census(r io.Reader) map[model.TraceID]int {
	packed := bufio.NewReaderSize(r, 64<<10)
	content, err := unpack(packed)
	if err != nil {
		return nil
	}
	text, ok := content.(*bufio.Reader)
	if !ok {
		text = bufio.NewReaderSize(content, 64<<10)
	}
	if head, _ := text.Peek(text.Size()); !requestBegins.Match(head) {
		return nil
	}
	counts := make(map[model.TraceID]int)
	window := make([]byte, 0, 256<<10)
	for {
		n, err := text.Read(window[len(window):cap(window)])
		window = window[:len(window)+n]
		if err == io.EOF {
			countTraces(window, counts)
			return counts
		}
		if err != nil {
			return nil
		}
		// What is behind the last name that could be read whole is looked at again, with what follows.
		done := countTraces(window, counts)
		window = window[:copy(window, window[max(done, len(window)-longestName):])]
	}
}

// longestName is more than a trace's name and id take, with some white space.
const longestName = 128

// idKey is how the keys begin that name a trace.
var idKey = []byte(`"trace`)

// countTraces counts the ids in text and returns the end of the last.
func countTraces(text []byte, counts map[model.TraceID]int) (end int) {
	for at := 0; ; {
		i := bytes.Index(text[at:], idKey)
		if i < 0 {
			return end
		}
		at += i + len(idKey)
		rest := text[at:]
		for _, key := range []string{`Id"`, `_id"`} {
			value, ok := bytes.CutPrefix(rest, []byte(key))
			if !ok {
				continue
			}
			value, ok = bytes.CutPrefix(bytes.TrimLeft(value, " \t\r\n"), []byte(":"))
			value, isText := bytes.CutPrefix(bytes.TrimLeft(value, " \t\r\n"), []byte(`"`))
			var id model.TraceID
			if size := hex.EncodedLen(len(id)); ok && isText && len(value) > size && value[size] == '"' {
				if _, err := hex.Decode(id[:], value[:size]); err == nil {
					counts[id]++
					at = len(text) - len(value) + size
					end = at
				}
			}
		}
	}
}
