package timings

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/recognise"
	"github.com/ragtrace/ragtrace/stages/recording"
)

// result says what the input is: a recording, or a body with or without its head.
func (in *input) result() (*Result, error) {
	if len(bytes.TrimSpace(in.data)) == 0 {
		return nil, errors.New("is empty: there is no answer to read")
	}
	if rec, err := recording.Read(bytes.NewReader(in.data)); err == nil {
		return FromRecording(in.name, rec), nil
	} else if isRecording(in.data) {
		return nil, fmt.Errorf("cannot be replayed: %w", err)
	}
	h := readHead(in.data)
	in.data = h.cutTrailer(in.data)
	body := in.data[h.length:]
	h.encoding(body)
	text := unpacked(&h, body)
	guess, ok := recognise.Body(text)
	if !ok {
		if enc := h.header.Get("Content-Encoding"); enc != "" && enc != "gzip" && enc != "identity" {
			return nil, fmt.Errorf("has a body in %s, which cannot be read (let curl unpack it: --compressed)", enc)
		}
		return nil, refusal(text, h.status, guess.Error)
	}
	if h.header.Get("Content-Type") == "" || guess.ContentType == "application/x-ndjson" {
		h.header.Set("Content-Type", guess.ContentType)
	}
	if h.status == 0 {
		h.status = http.StatusOK
	}
	r := &Result{Input: in.name, Clock: PipeClock, Facts: in.observe(&guess, &h, in.arrival)}
	if !in.arrivalsCount(r.Facts) {
		// All that is known is the server's own time: let the body have arrived when that was over.
		at := serverTime(r.Facts)
		r.Clock = ServerClock
		r.Facts = in.observe(&guess, &h, func(read) time.Duration { return at })
	}
	return r, nil
}

// observe shows the body to an observer, each read at its moment.
func (in *input) observe(guess *recognise.Guess, h *head, at func(read) time.Duration) *stages.Facts {
	o := recognise.New(guess.Request)
	o.RequestBody([]byte(guess.Body))
	o.Response(at(in.reads[0]), h.status, h.header)
	from := h.length
	for _, r := range in.reads {
		if end := min(r.end, len(in.data)); end > from {
			o.ResponseBody(at(r), in.data[from:end])
			from = end
		}
	}
	o.Trailer(h.trailer)
	how := stages.EndedEOF
	if in.cut {
		how = stages.EndedClosed
	}
	o.End(at(read{at: in.end}), how, nil)
	return o.Facts()
}

func (in *input) arrival(r read) time.Duration { return r.at }

// arrivalsCount reports whether the bytes can have come as the server made them: through a live pipe, not all at once, and
// not in less time than the server says that it took.
func (in *input) arrivalsCount(f *stages.Facts) bool {
	const atOnce, late = 5 * time.Millisecond, 50 * time.Millisecond // late: how much later than curl ragtrace may have begun
	took := serverTime(f)
	return in.live && in.last() >= atOnce && took <= in.last()+late+took/10
}

// serverTime is the server's whole time as far as it reports it.
func serverTime(f *stages.Facts) time.Duration {
	if f.Total.Known() {
		return f.Total.D
	}
	return f.Load.D + f.Queue.D + f.Prefill.D + f.Decode.D
}

// unpacked is the body as text, as much of it as can be unpacked.
func unpacked(h *head, body []byte) []byte {
	if h.header.Get("Content-Encoding") != "gzip" {
		return body
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return body
	}
	text, _ := io.ReadAll(io.LimitReader(z, maxInput))
	return text
}

// isRecording reports whether what cannot be read as a recording was meant to be one.
func isRecording(data []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) && bytes.Contains(data, []byte(`"request_path"`)) &&
		bytes.Contains(data, []byte(`"response"`)) && bytes.Contains(data, []byte(`"writes"`))
}

// refusal says why a body is no answer.
func refusal(text []byte, status int, words string) error {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF")))
	with := ""
	if status >= http.StatusBadRequest {
		with = fmt.Sprintf(" (HTTP %d)", status)
	}
	switch {
	case words != "":
		return fmt.Errorf("is an error, not an answer%s: %s", with, words)
	case len(text) == 0:
		return fmt.Errorf("has a head and no body%s: there is no answer to read", with)
	case text[0] == '<':
		return fmt.Errorf("is an HTML page, not an answer of a model server%s%s", with, title(text))
	case bytes.HasPrefix(text, []byte("HTTP/")):
		return errors.New("is cut off inside its head")
	case bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")):
		return errors.New("is UTF-16, as PowerShell's > writes it: save the answer with curl -o")
	case eventField.Match(text):
		return fmt.Errorf("is a stream of events, but no answer of a model server that ragtrace knows%s", with)
	case text[0] == '{' || text[0] == '[' || json.Valid(text):
		if err := badJSON(text); err != "" {
			return fmt.Errorf("%s%s", err, with)
		}
		return fmt.Errorf("is JSON, but no answer of a model server that ragtrace knows%s", with)
	}
	return fmt.Errorf("is not JSON, NDJSON or server-sent events%s: it begins with %q", with, beginning(text))
}

// eventField is what server-sent events begin with.
var eventField = regexp.MustCompile(`^(data|event|id|retry)?:`)

var titleTag = regexp.MustCompile(`(?i)<title>([^<]*)`)

// title is an HTML page's own name.
func title(page []byte) string {
	if m := titleTag.FindSubmatch(page); m != nil {
		return fmt.Sprintf(": %q", bytes.TrimSpace(m[1]))
	}
	return ""
}

func beginning(text []byte) string {
	const most = 40
	line, _, _ := bytes.Cut(text, []byte{'\n'})
	if len(line) > most {
		line = append(bytes.Clone(line[:most]), "..."...)
	}
	return strings.ToValidUTF8(string(line), "?")
}

// badJSON says where text stops being JSON; "" when its first value is whole.
func badJSON(text []byte) string {
	var v json.RawMessage
	dec := json.NewDecoder(bytes.NewReader(text))
	switch err := dec.Decode(&v); {
	case err == nil:
		return ""
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fmt.Sprintf("is cut off: its JSON does not end within %d bytes", len(text))
	default:
		return "is not JSON: " + err.Error()
	}
}
