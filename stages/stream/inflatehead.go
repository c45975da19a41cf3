package stream

import "errors"

var errHeader = errors.New("no header of the compression that was announced")

// gzipTrailer is the checksum and length after a member.
const gzipTrailer = 8

// gzipHeader passes the header of a gzip member (RFC 1952), and the trailer of the one before.
func gzipHeader(s *inflateSource) error {
	if s.members > 0 {
		if err := s.discard(gzipTrailer); err != nil {
			return err
		}
	}
	s.members++
	var head [10]byte
	for i := range head {
		b, err := s.ReadByte()
		if err != nil {
			return err
		}
		head[i] = b
	}
	if head[0] != 0x1f || head[1] != 0x8b || head[2] != 8 {
		return errHeader
	}
	return s.gzipFields(head[3])
}

// gzipFields passes the optional fields that the flags announce.
func (s *inflateSource) gzipFields(flags byte) error {
	const crc, extra, name, comment = 1 << 1, 1 << 2, 1 << 3, 1 << 4
	if flags&extra != 0 {
		lo, err := s.ReadByte()
		if err != nil {
			return err
		}
		hi, err := s.ReadByte()
		if err != nil {
			return err
		}
		if err := s.discard(int(hi)<<8 | int(lo)); err != nil {
			return err
		}
	}
	for _, text := range []byte{name, comment} {
		for flags&text != 0 {
			b, err := s.ReadByte()
			if err != nil {
				return err
			}
			if b == 0 {
				break
			}
		}
	}
	if flags&crc != 0 {
		return s.discard(2)
	}
	return nil
}

// zlibHeader passes the header that RFC 9110 wants before a deflate body, and that some servers leave out: bare deflate
// data cannot be told from it by one byte, but never passes its check.
func zlibHeader(s *inflateSource) error {
	if s.members++; s.members > 1 {
		return errHeader // one stream is all there is
	}
	first, err := s.ReadByte()
	if err != nil {
		return err
	}
	second, err := s.ReadByte()
	if err != nil {
		return err
	}
	if first&0x0f == 8 && (int(first)<<8|int(second))%31 == 0 {
		return nil
	}
	s.pushed, s.pushedN = [2]byte{first, second}, 2
	return nil
}

func (s *inflateSource) discard(n int) error {
	for range n {
		if _, err := s.ReadByte(); err != nil {
			return err
		}
	}
	return nil
}
