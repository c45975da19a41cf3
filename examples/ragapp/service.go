package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// maxError is how much of a failed answer is read for its message.
const maxError = 4 << 10

// A service is a server with a JSON API that the application depends on.
type service struct {
	name   string // as a person calls it
	url    string // without a slash at the end
	start  string // how to start it
	client *http.Client
}

// A statusError is an answer with a status other than 200.
type statusError struct {
	service, url, message string
	status                int
}

func (e *statusError) Error() string {
	return fmt.Sprintf("status %d from %s at %s: %s", e.status, e.service, e.url, e.message)
}

// send posts in, or gets when in is nil. The caller closes the answer's body, whose status is 200.
func (s *service) send(ctx context.Context, path string, in any) (*http.Response, error) {
	method, body := http.MethodGet, io.Reader(nil)
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return nil, fmt.Errorf("calling %s %s: %w", s.name, path, err)
		}
		method, body = http.MethodPost, bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, body)
	if err != nil {
		return nil, fmt.Errorf("calling %s %s: %w", s.name, path, err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := s.client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("calling %s %s: %w", s.name, path, ctx.Err())
		}
		return nil, fmt.Errorf("cannot reach %s at %s: start it with %s (%w)", s.name, s.url, s.start, err)
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		message, _ := io.ReadAll(io.LimitReader(resp.Body, maxError))
		return nil, &statusError{s.name, s.url, strings.TrimSpace(string(message)), resp.StatusCode}
	}
	return resp, nil
}

// call is send for an answer that is one JSON value, which it decodes into out.
func (s *service) call(ctx context.Context, path string, in, out any) error {
	resp, err := s.send(ctx, path, in)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		return fmt.Errorf("the answer of %s at %s to %s is not the JSON it should be: %w", s.name, s.url, path, err)
	}
	// Only a body that was read to its end leaves a connection that the next call can use.
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
