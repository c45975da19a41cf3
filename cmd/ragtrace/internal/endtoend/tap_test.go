//go:build unix

package endtoend

import (
	"bytes"
	"io"
	"net"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// A tap passes bytes between a client and a server and notes when they came. It knows sockets and bytes only, nothing of
// HTTP libraries or of our readers.
type tap struct {
	url string

	mu       sync.Mutex
	asked    time.Time // the first byte of the last request
	received []reading // since then
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
	go func() {
		defer server.Close()
		copyNoting(server, client, func(at time.Time, data []byte) {
			p.mu.Lock()
			defer p.mu.Unlock()
			if bytes.HasPrefix(data, []byte("POST ")) {
				p.asked, p.received = at, nil
			}
		})
	}()
	copyNoting(client, server, func(at time.Time, data []byte) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.received = append(p.received, reading{at, bytes.Clone(data)})
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

var withText = regexp.MustCompile(`"(response|content)":"[^"][^\n]*\n`)

// times are how long after the request the first line with text was complete, and the body.
func (p *tap) times(t *testing.T) (first, end time.Duration) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []byte
	for _, r := range p.received {
		all = append(all, r.data...)
		if first == 0 && withText.Match(all) {
			first = r.at.Sub(p.asked)
		}
	}
	if first == 0 || !bytes.HasSuffix(all, []byte("\r\n0\r\n\r\n")) {
		t.Fatalf("no whole stream went through the socket:\n%s", all)
	}
	return first, p.received[len(p.received)-1].at.Sub(p.asked)
}
