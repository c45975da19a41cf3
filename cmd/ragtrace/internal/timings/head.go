package timings

import (
	"bytes"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// A head is what stands before a body when curl was told -i or -D -.
type head struct {
	status int // 0: there was none
	header http.Header
	length int // in bytes

	trailer http.Header // fields that came after the body
}

// readHead reads the heads in front of a body: that of a proxy, 100 Continue and redirects come before the last, which
// counts.
func readHead(data []byte) head {
	h := head{header: make(http.Header)}
	for {
		status, header, n := oneHead(data[h.length:])
		if n == 0 {
			return h
		}
		h.status, h.header, h.length = status, header, h.length+n
	}
}

// oneHead reads one head and the empty line after it; 0 bytes when there is none.
func oneHead(data []byte) (status int, header http.Header, length int) {
	if !bytes.HasPrefix(data, []byte("HTTP/")) {
		return 0, nil, 0
	}
	header = make(http.Header)
	for first := true; ; first = false {
		i := bytes.IndexByte(data[length:], '\n')
		if i < 0 {
			return 0, nil, 0 // cut off
		}
		line := strings.TrimRight(string(data[length:length+i]), "\r")
		length += i + 1
		switch {
		case first:
			_, rest, _ := strings.Cut(line, " ")
			code, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
			if status, _ = strconv.Atoi(code); status < 100 || status > 599 {
				return 0, nil, 0
			}
		case line == "":
			return status, header, length
		default:
			if name, value, ok := strings.Cut(line, ":"); ok {
				header.Add(name, strings.TrimSpace(value))
			}
		}
	}
}

// cutTrailer takes the fields that the head announces off the end of data, and returns what is before them. curl -i writes
// them right behind the body.
func (h *head) cutTrailer(data []byte) []byte {
	names := strings.FieldsFunc(strings.Join(h.header.Values("Trailer"), ","), func(r rune) bool { return r == ',' || r == ' ' })
	if len(names) == 0 {
		return data
	}
	for i := range names {
		names[i] = regexp.QuoteMeta(names[i])
	}
	field := regexp.MustCompile(`(?i)(` + strings.Join(names, "|") + `):[^\r\n]*\r\n$`)
	h.trailer = make(http.Header)
	for {
		const most = 8 << 10 // of one field
		tail := data[max(h.length, len(data)-most):]
		at := field.FindIndex(tail)
		if at == nil {
			return data
		}
		name, value, _ := strings.Cut(string(tail[at[0]:]), ":")
		h.trailer.Add(name, strings.TrimSpace(value))
		data = data[:len(data)-len(tail)+at[0]]
	}
}

// gzipMagic is what gzip begins with.
var gzipMagic = []byte{0x1f, 0x8b}

// encoding corrects what the head says of the body's encoding: curl --compressed shows a head that no longer applies, and
// without -i there is none.
func (h *head) encoding(body []byte) {
	packed := bytes.HasPrefix(body, gzipMagic)
	plain := len(body) > 0 && strings.IndexByte("{[:dei \r\n\t<\xEF", body[0]) >= 0
	switch {
	case packed && h.header.Get("Content-Encoding") == "":
		h.header.Set("Content-Encoding", "gzip")
	case plain:
		h.header.Del("Content-Encoding")
	}
}
