package recording

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// A Recording is one exchange. All times count in milliseconds from t0, the start of the exchange, right before
// connecting, on one monotonic clock.
type Recording struct {
	Name          string          `json:"name,omitempty"`
	Kind          string          `json:"kind,omitempty"`            // of a published case; it does not matter here
	Group         string          `json:"group,omitempty"`           // exchanges that belong together
	GroupOffsetMS *Millis         `json:"group_offset_ms,omitempty"` // t0 relative to the group
	Method        string          `json:"method,omitempty"`          // POST when empty
	RequestPath   string          `json:"request_path"`              // with the query
	RequestBody   string          `json:"request_body,omitempty"`
	Streaming     bool            `json:"streaming"`              // the answer came as lines or events; with no answer, what was asked
	Connection    string          `json:"connection,omitempty"`   // new or reused
	T0UnixNS      int64           `json:"t0_unix_ns,omitempty"`   // wall clock at t0
	ConnectedMS   *Millis         `json:"connected_ms,omitempty"` // 0 on a reused connection
	WroteHeaders  Millis          `json:"wrote_headers_ms"`
	WroteRequest  *Millis         `json:"wrote_request_ms,omitempty"`
	Response      Response        `json:"response"`
	ClientClosed  *Millis         `json:"client_closed_at_ms,omitempty"` // the client left first
	Server        json.RawMessage `json:"server,omitempty"`              // what is known of the server
	StateBefore   json.RawMessage `json:"state_before,omitempty"`        // Ollama's /api/version and /api/ps, right before
}

// A Response is the answer as it was read.
type Response struct {
	Status  *int              `json:"status"` // nil when none came
	Headers map[string]string `json:"headers,omitempty"`
	Head    *Millis           `json:"head_ms,omitempty"` // absent: with the first bytes of the body
	Writes  []Write           `json:"writes"`
	EOF     *Millis           `json:"eof_ms,omitempty"` // absent: with the last bytes of the body
	Reset   bool              `json:"reset,omitempty"`  // the connection ended before the body did
}

// A Write is one read of body bytes, without chunk framing.
type Write struct {
	At     Millis `json:"at_ms"`
	Data   string `json:"data,omitempty"`
	Base64 []byte `json:"data_b64,omitempty"` // bytes that are not UTF-8
	Repeat int    `json:"repeat,omitempty"`   // Data stands so many times; 0 is once
}

// maxRepeated is the most that one write may unfold to.
const maxRepeated = 1 << 28

// Read reads one recording.
func Read(r io.Reader) (*Recording, error) {
	rec := new(Recording)
	if err := json.NewDecoder(r).Decode(rec); err != nil {
		return nil, fmt.Errorf("not an exchange recording: %w", err)
	}
	if err := rec.check(); err != nil {
		return nil, fmt.Errorf("exchange recording %q: %w", rec.Name, err)
	}
	return rec, nil
}

// WriteTo writes the recording as Read reads it.
func (r *Recording) WriteTo(w io.Writer) (int64, error) {
	b, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return 0, err
	}
	n, err := w.Write(append(b, '\n'))
	return int64(n), err
}

// check refuses what cannot be replayed.
func (r *Recording) check() error {
	if !strings.HasPrefix(r.RequestPath, "/") {
		return errors.New(`"request_path" is missing or does not begin with /`)
	}
	if r.Response.Status == nil && len(r.Response.Writes) > 0 {
		return errors.New(`"response" has bytes but no "status"`)
	}
	last := Millis(0)
	for i, w := range r.Response.Writes {
		if w.At < last {
			return fmt.Errorf(`"at_ms" of write %d is before the one ahead of it`, i)
		}
		if w.Repeat < 0 || w.Repeat > 0 && len(w.Data) > maxRepeated/w.Repeat {
			return fmt.Errorf(`"repeat" of write %d is out of range`, i)
		}
		last = w.At
	}
	return nil
}

// bytes are the bytes of the write.
func (w *Write) bytes() []byte {
	switch {
	case w.Base64 != nil:
		return w.Base64
	case w.Repeat > 1:
		return []byte(strings.Repeat(w.Data, w.Repeat))
	}
	return []byte(w.Data)
}

func (r *Response) header() http.Header {
	h := make(http.Header, len(r.Headers))
	for k, v := range r.Headers {
		h.Set(k, v)
	}
	return h
}
