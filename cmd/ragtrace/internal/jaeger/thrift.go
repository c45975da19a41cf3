package jaeger

import (
	"encoding/binary"
	"errors"
	"math"
)

// The types of Thrift's binary protocol that are looked for:
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-binary-protocol.md
const (
	typeStop   = 0
	typeBool   = 2
	typeByte   = 3
	typeDouble = 4
	typeI16    = 6
	typeI32    = 8
	typeI64    = 10
	typeString = 11 // or bytes
	typeStruct = 12
	typeMap    = 13
	typeSet    = 14
	typeList   = 15
)

// maxDepth is deeper than anything that Jaeger's clients send.
const maxDepth = 32

var (
	errCut  = errors.New("the Thrift message breaks off")
	errType = errors.New("the Thrift message holds a type that there is not")
	errDeep = errors.New("the Thrift message is nested too deep")
)

// A reader reads values one after another. After the first error all that it reads is zero.
type reader struct {
	b   []byte
	err error
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.b = nil
}

// take takes n bytes, which share the memory of the message; after an error nil.
func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.fail(errCut)
		return nil
	}
	taken := r.b[:n:n]
	r.b = r.b[n:]
	return taken
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) i16() int16 {
	if b := r.take(2); b != nil {
		return int16(binary.BigEndian.Uint16(b))
	}
	return 0
}

func (r *reader) i32() int32 {
	if b := r.take(4); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

func (r *reader) i64() int64 {
	if b := r.take(8); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

func (r *reader) double() float64 { return math.Float64frombits(uint64(r.i64())) }
func (r *reader) bool() bool      { return r.byte() != 0 }
func (r *reader) bytes() []byte   { return r.take(int(r.i32())) }
func (r *reader) string() string  { return string(r.bytes()) }

// fields reads a struct: visit reads the field of a number and type, and tells whether it did; what it leaves is skipped.
func (r *reader) fields(visit func(id int16, typ byte) bool) {
	for r.err == nil {
		typ := r.byte()
		if typ == typeStop {
			return
		}
		if id := r.i16(); r.err == nil && !visit(id, typ) {
			r.skip(typ, 0)
		}
	}
}

// list reads a list whose elements are structs, or skips one whose are not.
func (r *reader) list(element func()) {
	typ, n := r.byte(), r.i32()
	for i := int32(0); i < n && r.err == nil; i++ {
		if typ == typeStruct {
			element()
		} else {
			r.skip(typ, 0)
		}
	}
	if n < 0 {
		r.fail(errCut)
	}
}

// skip reads a value of any type and forgets it.
func (r *reader) skip(typ byte, depth int) {
	if depth > maxDepth {
		r.fail(errDeep)
		return
	}
	switch typ {
	case typeBool, typeByte:
		r.take(1)
	case typeI16:
		r.take(2)
	case typeI32:
		r.take(4)
	case typeDouble, typeI64:
		r.take(8)
	case typeString:
		r.bytes()
	case typeStruct:
		for r.err == nil {
			inner := r.byte()
			if inner == typeStop {
				return
			}
			r.take(2)
			r.skip(inner, depth+1)
		}
	case typeList, typeSet:
		inner, n := r.byte(), r.i32()
		for i := int32(0); i < n && r.err == nil; i++ {
			r.skip(inner, depth+1)
		}
	case typeMap:
		key, value, n := r.byte(), r.byte(), r.i32()
		for i := int32(0); i < n && r.err == nil; i++ {
			r.skip(key, depth+1)
			r.skip(value, depth+1)
		}
	default:
		r.fail(errType)
	}
}
