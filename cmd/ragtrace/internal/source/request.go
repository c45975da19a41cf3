package source

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
)

var (
	errTooLarge = errors.New("the answer is too large")
	errTooDeep  = errors.New("jaeger does not give out so many traces at once")
)

// get asks for what is at path below /api/v3 and has read read the answer. found is false when Jaeger says that there is
// nothing.
func (j *Jaeger) get(ctx context.Context, path string, query url.Values, read func(io.Reader) error) (found bool, err error) {
	u := j.base.JoinPath("api/v3", path)
	u.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return false, err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := j.client.Do(req)
	if err != nil {
		return false, j.unreachable(ctx, err)
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		return false, fmt.Errorf("jaeger at %s lets nobody in without a name (%s): put it into the address, as in http://USER:PASSWORD@HOST", j, resp.Status)
	}
	body := bufio.NewReader(&limited{resp.Body, maxAnswer})
	// Old ones call their JSON text/plain, and every one answers a path that it does not know with 200 and the page of its UI.
	// So the first byte decides.
	if !isJSON(resp.Header.Get("Content-Type"), body) {
		return false, j.isNone(fmt.Sprintf("%s %q", resp.Status, resp.Header.Get("Content-Type")), path)
	}
	switch {
	case resp.StatusCode == http.StatusNotFound:
		return false, nil
	case resp.StatusCode != http.StatusOK:
		return false, j.failed(resp.Status, body)
	}
	if err := read(body); err != nil {
		if errors.Is(err, errTooLarge) || ctx.Err() != nil {
			return false, err
		}
		return false, fmt.Errorf("jaeger at %s: the answer to %s: %w", j, u.Path, err)
	}
	return true, nil
}

// isNone is the error for what is no Jaeger, by what it answers to a path below /api/v3.
func (j *Jaeger) isNone(answer, path string) error {
	return fmt.Errorf("%s is not the query service of a Jaeger: it answers %s with %s (the address is that of the UI, port 16686 if nobody chose another, with its base path)",
		j, j.base.JoinPath("api/v3", path).Path, answer)
}

// unreachable says what a failed request means. The error of the client has the whole address in it, with all parameters.
func (j *Jaeger) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if inner, ok := errors.AsType[*url.Error](err); ok {
		if inner.Timeout() {
			return fmt.Errorf("jaeger at %s has not answered within %v (ask for less, with --since or --service)", j, patience)
		}
		err = inner.Err
	}
	return fmt.Errorf("jaeger at %s does not answer: %w", j, err)
}

// failed is the error that Jaeger gives.
func (j *Jaeger) failed(status string, body io.Reader) error {
	var answer apiError
	_ = json.NewDecoder(body).Decode(&answer) // without one the status must do
	// https://github.com/jaegertracing/jaeger/blob/v1.76.0/internal/storage/v2/memory/memory.go
	if strings.Contains(answer.Error.Message, "search depth") {
		return errTooDeep
	}
	return fmt.Errorf("jaeger at %s: %s: %s", j, status, answer.Error.Message)
}

// An apiError is how /api/v3 reports an error, by itself or in place of a result.
type apiError struct {
	Error struct {
		HTTPCode int    `json:"httpCode"`
		Message  string `json:"message"`
	} `json:"error"`
}

func isJSON(contentType string, body *bufio.Reader) bool {
	if t, _, _ := mime.ParseMediaType(contentType); t == "text/html" {
		return false
	}
	return firstByte(body) == '{'
}

// decodeInto reads one JSON value.
func decodeInto(v any) func(io.Reader) error {
	return func(r io.Reader) error { return json.NewDecoder(r).Decode(v) }
}

// A limited reader fails behind its limit, where io.LimitedReader ends as if all were well.
type limited struct {
	r    io.Reader
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errTooLarge
	}
	n, err := l.r.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}
