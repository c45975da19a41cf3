package stream

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// A Kind is the JSON type of a Value.
type Kind uint8

// The JSON types.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// A Value is one value that a Schema asked for, given as soon as its last byte has come.
type Value struct {
	Path int // the index of its path in NewSchema
	Kind Kind

	// Text is the text of a string, decoded, or the letters of a number or bool; at most 512 bytes of it, and none of a
	// string that is only measured. It is valid during the call only.
	Text []byte
	// End is the last 512 bytes of a Truncated string whose path asks for it, or somewhat less to begin with a whole rune. It
	// is valid during the call only.
	End []byte
	// Key is the name of the field, at most 64 bytes of it, when its path ends in * and it is no container. It is valid during
	// the call only.
	Key []byte
	// Len is the length of a string in bytes, decoded, kept or not, or the number of elements of an array or object.
	Len int64
	// Index is the place of the value, or of what it stands in, in the innermost array; 0 outside arrays.
	Index int
}

// Empty reports whether v says nothing: null, "", [] or {}.
func (v Value) Empty() bool { return v.Kind == Null || v.Kind >= String && v.Len == 0 }

// Truncated reports whether Text is only the beginning of a string.
func (v Value) Truncated() bool { return v.Kind == String && int64(len(v.Text)) < v.Len }

// True reports whether v is the bool true.
func (v Value) True() bool { return v.Kind == Bool && len(v.Text) == len("true") }

// String is the text of a string as valid UTF-8, "" for other kinds.
func (v Value) String() string {
	if v.Kind != String {
		return ""
	}
	return strings.ToValidUTF8(string(v.Text), "\uFFFD")
}

// Float is the number v.
func (v Value) Float() (float64, bool) {
	if v.Kind != Number {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(v.Text), 64)
	return f, err == nil
}

// Int is the number v as an integer. A number with a fraction or an exponent is cut to one, as long as it fits.
func (v Value) Int() (int64, bool) {
	if v.Kind != Number {
		return 0, false
	}
	if n, err := strconv.ParseInt(string(v.Text), 10, 64); err == nil {
		return n, true
	}
	f, ok := v.Float()
	if !ok || math.Abs(f) >= 1<<63 {
		return 0, false
	}
	return int64(f), true
}

// An Outcome says what a Document turned out to be.
type Outcome uint8

const (
	Complete   Outcome = iota // a JSON value, whole
	DoneMarker                // the event [DONE]
	Malformed                 // not JSON, or cut short by a line's end
)

// A Document is the end of one JSON value: a body, a line or an event.
type Document struct {
	At      time.Duration // arrival of the read that completed it
	Outcome Outcome
	Stream  bool   // one of a series (lines, events), even if the only one
	Event   []byte // the name of a server-sent event, at most 64 bytes; valid during the call only
}

// A Sink is told what a Splitter finds. It is called from inside Write and Close.
type Sink interface {
	// Value brings a value of the document that is under way. If the document turns out Malformed, it is void.
	Value(v Value)
	// Document ends the document whose values have come since the last call.
	Document(d Document)
}
