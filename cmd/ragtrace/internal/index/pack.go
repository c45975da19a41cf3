package index

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
)

// pack puts questions together by columns. First come the counts of questions, flags and calls, then the texts with their
// lengths, then each column: how many bytes a number of it takes, the least of them, and how much more each is. So a column is
// read without reading the others, and a number in a nanosecond. A checksum is last.
func pack(questions [][]byte) ([]byte, error) {
	d := newDecoder()
	decoded := make([]diagnose.Question, len(questions))
	given := make([]*diagnose.Question, len(questions))
	for i, q := range questions {
		if err := d.question(q, &decoded[i]); err != nil {
			return nil, err
		}
		given[i] = &decoded[i]
	}
	part := diagnose.PartOf(given)
	var b []byte
	for _, n := range part.N {
		b = binary.AppendUvarint(b, uint64(n))
	}
	b = binary.AppendUvarint(b, uint64(len(part.Texts)))
	for _, text := range part.Texts {
		b = appendString(b, text)
	}
	var values []int64
	for c := range diagnose.NumColumns {
		values = part.Append(c, values[:0])
		b = appendColumn(b, values)
	}
	// A number is read as if it had eight bytes.
	b = append(b, make([]byte, 7)...)
	for _, n := range part.N {
		if n > most*len(b) {
			return nil, errPack
		}
	}
	return seal(b), nil
}

var errPack = errors.New("a question has more calls than can be packed")

func appendColumn(b []byte, values []int64) []byte {
	if len(values) == 0 {
		return b
	}
	least, most := values[0], values[0]
	for _, v := range values {
		least, most = min(least, v), max(most, v)
	}
	width := (bits.Len64(uint64(most)-uint64(least)) + 7) / 8
	b = append(b, byte(width))
	b = binary.LittleEndian.AppendUint64(b, uint64(least))
	for _, v := range values {
		var number [8]byte
		binary.LittleEndian.PutUint64(number[:], uint64(v)-uint64(least))
		b = append(b, number[:width]...)
	}
	return b
}

// A column of a pack lies in data, which goes on for seven bytes behind it.
type column struct {
	least uint64
	width int
	data  []byte
}

// most is how many questions, flags or calls a byte of a pack may stand for, so that no file takes all memory. They hardly are
// more: no two questions have the same ids, and few calls of one start at once.
const most = 16

// unpack reads what pack wrote. b must not change as long as the part is in use.
func unpack(b []byte) (diagnose.Part, error) {
	var p diagnose.Part
	b, ok := unseal(b)
	if !ok {
		return p, errQuestion
	}
	d := newDecoder()
	d.b = b
	for i := range p.N {
		n := d.uvarint()
		if n > most*uint64(len(b)) { // nothing may take all memory
			return p, errQuestion
		}
		p.N[i] = int(n)
	}
	for n := d.uvarint(); n > 0 && !d.bad; n-- {
		p.Texts = append(p.Texts, d.text())
	}
	var columns [diagnose.NumColumns]column
	for c := range columns {
		n := p.N[diagnose.Column(c).Domain()]
		if n > 0 {
			columns[c] = d.column(n)
		}
	}
	if d.bad || len(d.b) != 7 {
		return p, errQuestion
	}
	p.Append = func(c diagnose.Column, to []int64) []int64 {
		return columns[c].append(to, p.N[c.Domain()])
	}
	p.At = func(c diagnose.Column, i int) int64 { return columns[c].at(i) }
	p.Constant = func(c diagnose.Column) (int64, bool) { return int64(columns[c].least), columns[c].width == 0 }
	if !p.Sound() {
		return p, errQuestion
	}
	return p, nil
}

// column reads a column of n numbers.
func (d *decoder) column(n int) (c column) {
	if len(d.b) < 9 || d.b[0] > 8 {
		d.bad = true
		return c
	}
	c.width, c.least = int(d.b[0]), binary.LittleEndian.Uint64(d.b[1:])
	d.b = d.b[9:]
	if len(d.b)-7 < n*c.width {
		d.bad = true
		return c
	}
	c.data = d.b[:n*c.width+7]
	d.b = d.b[n*c.width:]
	return c
}

// at is one number.
func (c *column) at(i int) int64 {
	if c.width == 0 {
		return int64(c.least)
	}
	return int64(c.least + binary.LittleEndian.Uint64(c.data[i*c.width:])&(^uint64(0)>>(64-8*c.width)))
}

// append appends the column's n numbers.
func (c *column) append(to []int64, n int) []int64 {
	first := len(to)
	to = slices.Grow(to, n)[:first+n]
	least, into := c.least, to[first:]
	switch c.width {
	case 0:
		for i := range into {
			into[i] = int64(least)
		}
	case 1:
		for i, v := range c.data[:n] {
			into[i] = int64(least + uint64(v))
		}
	case 4:
		for i := range into {
			into[i] = int64(least + uint64(binary.LittleEndian.Uint32(c.data[4*i:])))
		}
	default:
		mask := ^uint64(0) >> (64 - 8*c.width)
		for i := range into {
			into[i] = int64(least + binary.LittleEndian.Uint64(c.data[i*c.width:])&mask)
		}
	}
	return to
}
