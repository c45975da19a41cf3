package otlp

import (
	"google.golang.org/protobuf/encoding/protowire"
)

// fields goes through the fields of a protobuf message, which makes nothing of what nobody asks for: spans are decoded in
// half of the time that proto.Unmarshal takes for its structs, and those would have to be turned into ours after that.
type fields struct {
	rest []byte
	err  error

	num    protowire.Number
	typ    protowire.Type
	bytes  []byte // of a field of bytes; it shares the message's memory
	number uint64 // of any other
}

// next goes to the next field, and reports whether there is one.
func (f *fields) next() bool {
	if len(f.rest) == 0 || f.err != nil {
		return false
	}
	var n int
	if f.num, f.typ, n = protowire.ConsumeTag(f.rest); n >= 0 {
		f.rest = f.rest[n:]
		switch f.typ {
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(f.rest)
		case protowire.VarintType:
			f.number, n = protowire.ConsumeVarint(f.rest)
		case protowire.Fixed64Type:
			f.number, n = protowire.ConsumeFixed64(f.rest)
		default: // nothing that OTLP has
			n = protowire.ConsumeFieldValue(f.num, f.typ, f.rest)
		}
	}
	if n < 0 {
		f.err = protowire.ParseError(n)
		return false
	}
	f.rest = f.rest[n:]
	return true
}

// note remembers the first error.
func (f *fields) note(err error) {
	if f.err == nil {
		f.err = err
	}
}
