package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// send posts in to url, or puts, or gets when in is nil, and returns an answer whose status is 200. The caller closes it.
func send(ctx context.Context, client *http.Client, method, url string, in any) (*http.Response, error) {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", method, url, err)
		}
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return nil, err // net/http names method and URL
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1000))
		return nil, fmt.Errorf("%s %s answered %s: %s", method, url, resp.Status, strings.TrimSpace(string(text)))
	}
	return resp, nil
}

// call is send for an answer that is one JSON value, which it decodes into out.
func call(ctx context.Context, client *http.Client, method, url string, in, out any) error {
	resp, err := send(ctx, client, method, url, in)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		return fmt.Errorf("%s %s: the answer is not the JSON it should be: %w", method, url, err)
	}
	// Only a body that was read to its end leaves a connection that the next call can use.
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
