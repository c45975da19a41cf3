//go:build unix

package endtoend

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// A tap passes bytes between clients and a server and notes when they came. Its times are those of sockets and bytes alone:
// no HTTP library and none of our readers has a part in them.
type tap struct {
	url string

	mu        sync.Mutex
	exchanges []*exchange
}

// An exchange is a request and what came back.
type exchange struct {
	asked    time.Time // its first byte
	request  []byte
	received []reading
	left     time.Time // when the client closed the connection
}

// A reading is what one read of the server's socket gave.
type reading struct {
	at   time.Time
	data []byte
}

func startTap(t *testing.T, server string) *tap {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	p := &tap{url: "http://" + listener.Addr().String()}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go p.pass(client, strings.TrimPrefix(server, "http://"))
		}
	}()
	return p
}

// pass carries one connection until either side closes it.
func (p *tap) pass(client net.Conn, address string) {
	defer client.Close()
	server, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer server.Close()
	now := &exchange{} // the connection's last one
	go func() {
		defer server.Close()
		copyNoting(server, client, func(at time.Time, data []byte) {
			p.mu.Lock()
			defer p.mu.Unlock()
			if bytes.HasPrefix(data, []byte("POST ")) {
				now = &exchange{asked: at}
				p.exchanges = append(p.exchanges, now)
			}
			now.request = append(now.request, data...)
		})
		p.mu.Lock()
		defer p.mu.Unlock()
		now.left = time.Now()
	}()
	copyNoting(client, server, func(at time.Time, data []byte) {
		p.mu.Lock()
		defer p.mu.Unlock()
		now.received = append(now.received, reading{at, bytes.Clone(data)})
	})
}

func copyNoting(to io.Writer, from io.Reader, note func(time.Time, []byte)) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			note(time.Now(), buffer[:n])
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// find is the only exchange whose request has a text in it. It has come to its end.
func (p *tap) find(t *testing.T, text string) exchange {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	var found []exchange
	for _, e := range p.exchanges {
		if bytes.Contains(e.request, []byte(text)) {
			found = append(found, *e)
		}
	}
	if len(found) != 1 || len(found[0].received) == 0 {
		t.Fatalf("%d requests with %q went through the socket, want 1 that was answered", len(found), text)
	}
	return found[0]
}

// left waits until the client of the only exchange with a text has closed its connection, and tells when that was.
func (p *tap) left(t *testing.T, text string) time.Time {
	t.Helper()
	for range 500 {
		if at := p.find(t, text).left; !at.IsZero() {
			return at
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the client has not closed its connection")
	return time.Time{}
}

var withText = regexp.MustCompile(`"(response|content)":"[^"][^\n]*\n`)

// first is when the first line with text was complete.
func (e exchange) first(t *testing.T) time.Time {
	t.Helper()
	var all []byte
	for _, r := range e.received {
		all = append(all, r.data...)
		if withText.Match(all) {
			return r.at
		}
	}
	t.Fatalf("no line with text went through the socket:\n%s", all)
	return time.Time{}
}

// end is when the answer's last byte came.
func (e exchange) end() time.Time { return e.received[len(e.received)-1].at }

// figures are what the answer says of itself. It is whole.
func (e exchange) figures(t *testing.T) figures {
	t.Helper()
	var all []byte
	for _, r := range e.received {
		all = append(all, r.data...)
	}
	resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(all)), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("no whole answer went through the socket: %v\n%s", err, all)
	}
	lines := bytes.Split(bytes.TrimSpace(body), []byte("\n"))
	var f figures
	if err := json.Unmarshal(lines[len(lines)-1], &f); err != nil {
		t.Fatalf("the answer's end: %v\n%s", err, lines[len(lines)-1])
	}
	return f
}
