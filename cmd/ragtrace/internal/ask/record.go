package ask

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/recording"
)

// A Recorder writes recordings into a directory, each as a file of its own.
type Recorder struct {
	dir     string
	prefix  string
	content bool
}

// NewRecorder makes the directory if there is none. With content, prompts and answers are written as they were; else
// filler stands in their place.
func NewRecorder(dir, session string, content bool) (*Recorder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the directory for recordings: %w", err)
	}
	if session == "" {
		session = "ask"
	}
	return &Recorder{dir, fileName(session) + "-" + time.Now().Format("20060102T150405"), content}, nil
}

// fileName is text without what some file system does not want in a name.
func fileName(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, text[:min(len(text), 64)])
}

// Write writes one recording. Its file's name sorts as the questions were asked.
func (r *Recorder) Write(rec *recording.Recording, number int) (err error) {
	if !r.content {
		rec = filled(rec)
	}
	name := filepath.Join(r.dir, fmt.Sprintf("%s-%04d.json", r.prefix, number))
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("writing a recording: %w", err)
	}
	if _, err = rec.WriteTo(f); err == nil {
		err = f.Close()
	} else {
		f.Close()
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}

// filled is rec without what people and models said.
func filled(rec *recording.Recording) *recording.Recording {
	r := *rec
	if u, err := url.ParseRequestURI(rec.RequestPath); err == nil {
		r.RequestPath = u.EscapedPath()
	}
	known := rec.Replay().API != stages.APIUnknown
	r.RequestBody = string(fill([]byte(rec.RequestBody), "application/json", known))
	r.Response.Headers = make(map[string]string)
	for name, value := range rec.Response.Headers {
		if value, kept := keptHeader(name, value); kept {
			r.Response.Headers[name] = value
		}
	}
	var body []byte
	for _, w := range rec.Response.Writes {
		body = append(body, bytesOf(&w)...)
	}
	if enc := rec.Response.Headers["content-encoding"]; enc == "" || enc == "identity" {
		body = fill(body, rec.Response.Headers["content-type"], known)
	} else {
		fillText(body) // packed: nobody can read it, with or without
	}
	r.Response.Writes = make([]recording.Write, len(rec.Response.Writes))
	for i, w := range rec.Response.Writes {
		n := len(bytesOf(&w))
		r.Response.Writes[i] = write(w.At, body[:n])
		body = body[n:]
	}
	return &r
}

func bytesOf(w *recording.Write) []byte {
	if w.Base64 != nil {
		return w.Base64
	}
	return []byte(w.Data)
}

// write is one read, whose bytes may end inside a rune.
func write(at recording.Millis, p []byte) recording.Write {
	if utf8.Valid(p) {
		return recording.Write{At: at, Data: string(p)}
	}
	return recording.Write{At: at, Base64: p}
}

var (
	figure = regexp.MustCompile(`^[0-9.,:eE+\- ]+(ms|s)?$`)
	// computeType is what an inference server runs on: "gpu+optimized", "1-nvidia-a10g".
	computeType = regexp.MustCompile(`^[0-9a-z+_-]{1,40}$`)
	// timing is a metric of Server-Timing and its duration; a description may be anybody's words.
	timing = regexp.MustCompile(`^\s*([!#$%&'*+.^_|~0-9A-Za-z-]{1,64})\s*(?:;.*?)??(;\s*(?i:dur)\s*=\s*"?[0-9.eE+-]+"?)`)
)

// keptHeader is what stays of a header that says what came or how long something took.
func keptHeader(name, value string) (string, bool) {
	switch name {
	case "content-type", "content-encoding", "date", "server", "via":
		return value, true
	case "x-compute-type": // of text-embeddings-inference and TGI, by which they are known
		return value, computeType.MatchString(value)
	case "server-timing":
		var kept []string
		for _, metric := range strings.Split(quotation.ReplaceAllString(value, `""`), ",") {
			if m := timing.FindStringSubmatch(metric); m != nil {
				kept = append(kept, m[1]+m[2])
			}
		}
		return strings.Join(kept, ", "), len(kept) > 0
	}
	for _, prefix := range []string{"openai-", "x-compute-", "x-envoy-", "x-litellm-"} {
		if strings.HasPrefix(name, prefix) {
			return value, figure.MatchString(value)
		}
	}
	for _, suffix := range []string{"-time", "-tokens", "-ms"} {
		if strings.HasSuffix(name, suffix) {
			return value, figure.MatchString(value)
		}
	}
	return "", false
}

// quotation is a description in quotes: one that is no number.
var quotation = regexp.MustCompile(`"(?:[^"\\]|\\.)*[^"0-9.](?:[^"\\]|\\.)*"`)
