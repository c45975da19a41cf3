package stream

// A scanner walks through one JSON document, fed piece by piece, in fixed memory.
type scanner struct {
	schema *Schema
	sink   Sink

	state state
	stack [maxDepth + 1]frame // the containers around the present place that paths lead into
	top   int                 // how many of them
	here  *node               // what the schema says of the value that is under way; nil: nothing
	skip  skipping            // inside a container that no path leads into
	text  text                // the string or literal under way

	key  [maxKey]byte // of the last field that only a * names
	keyN int
}

// maxKey is how much of such a key is kept.
const maxKey = 64

type state uint8

const (
	atValue      state = iota // before a value
	atFirstElem               // after [
	atFirstKey                // after {
	atKey                     // after a comma in an object
	inKey                     // inside a key
	atColon                   // after a key
	inString                  // inside a string that is a value
	inLiteral                 // inside a number, true, false, null
	inSkip                    // inside a container that is skipped
	afterValue                // after a value inside a container
	documentDone              // after the value at the top
	documentBad               // not JSON
)

// A frame is one container around the present place.
type frame struct {
	node  *node
	array bool
	count int64 // elements begun
}

func (s *scanner) reset() {
	s.state, s.top, s.here = atValue, 0, &s.schema.root
	s.text.begin(false)
}

// begun reports whether anything but white space was seen.
func (s *scanner) begun() bool { return s.state != atValue || s.top > 0 }

// write takes the next piece and returns how much of it belongs to the document: less than all when the value at the top
// ended before.
func (s *scanner) write(p []byte) int {
	for i := 0; i < len(p); {
		switch s.state {
		case inString, inKey:
			n, ended := s.text.write(p[i:])
			i += n
			if ended {
				s.stringEnded()
			}
		case inSkip:
			n, ended := s.skip.write(p[i:])
			i += n
			if ended {
				s.containerEnded(s.skip.array, s.skip.count)
			}
		case inLiteral:
			if isLiteral(p[i]) {
				s.text.literal(p[i])
				i++
			} else {
				s.literalEnded() // and look at the delimiter again
			}
		case documentDone:
			return i
		case documentBad:
			return len(p)
		default:
			if c := p[i]; !isSpace(c) {
				s.step(c)
			}
			i++
		}
	}
	return len(p)
}

// finish tells that the document's bytes are over: only a number at the top needs to know.
func (s *scanner) finish() {
	if s.state == inLiteral && s.top == 0 {
		s.literalEnded()
	}
}

// step takes one byte between values.
func (s *scanner) step(c byte) {
	switch s.state {
	case atValue:
		s.valueBegins(c)
	case atFirstElem:
		if c == ']' {
			s.pop()
		} else {
			s.element()
			s.valueBegins(c)
		}
	case atFirstKey, atKey:
		switch {
		case c == '"':
			s.stack[s.top-1].count++
			s.text.begin(true)
			s.state = inKey
		case c == '}' && s.state == atFirstKey:
			s.pop()
		default:
			s.state = documentBad
		}
	case atColon:
		if c == ':' {
			s.state = atValue
		} else {
			s.state = documentBad
		}
	case afterValue:
		f := &s.stack[s.top-1]
		switch {
		case c == ',' && f.array:
			s.element()
			s.state = atValue
		case c == ',':
			s.state = atKey
		case c == ']' && f.array, c == '}' && !f.array:
			s.pop()
		default:
			s.state = documentBad
		}
	}
}

// element begins the next element of the innermost array.
func (s *scanner) element() {
	f := &s.stack[s.top-1]
	f.count++
	s.here = f.node.elem
}

func (s *scanner) valueBegins(c byte) {
	switch {
	case c == '"':
		s.text.begin(s.here != nil && s.here.path >= 0 && !s.here.measure)
		s.text.keepEnd = s.here != nil && s.here.end
		s.state = inString
	case c == '{' || c == '[':
		s.containerBegins(c == '[')
	case c == '-' || c >= '0' && c <= '9' || c == 't' || c == 'f' || c == 'n':
		s.text.begin(true)
		s.text.literal(c)
		s.state = inLiteral
	default:
		s.state = documentBad
	}
}

func (s *scanner) containerBegins(array bool) {
	n := s.here
	if n == nil || array && n.elem == nil || !array && n.fields == nil && n.any == nil {
		s.skip.begin(array)
		s.state = inSkip
		return
	}
	s.stack[s.top] = frame{node: n, array: array}
	s.top++
	if array {
		s.state = atFirstElem
	} else {
		s.state = atFirstKey
	}
}

// pop ends the innermost container that paths lead into.
func (s *scanner) pop() {
	s.top--
	f := &s.stack[s.top]
	s.here = f.node
	s.containerEnded(f.array, f.count)
}

func (s *scanner) containerEnded(array bool, count int64) {
	kind := Object
	if array {
		kind = Array
	}
	s.emit(Value{Kind: kind, Len: count})
}

func (s *scanner) stringEnded() {
	if s.state == inKey {
		f := &s.stack[s.top-1]
		s.here = f.node.any
		if s.text.whole() {
			s.here = f.node.find(s.text.kept())
		}
		if s.here != nil && s.here == f.node.any {
			s.keyN = copy(s.key[:], s.text.kept())
		}
		s.state = atColon
		return
	}
	s.emit(Value{Kind: String, Text: s.text.kept(), End: s.text.end(), Len: s.text.len})
}

func (s *scanner) literalEnded() {
	kind, ok := literalKind(s.text.kept())
	if !ok {
		s.state = documentBad
		return
	}
	s.emit(Value{Kind: kind, Text: s.text.kept(), Len: s.text.len})
}

// emit ends a value and gives it to the sink if a path ends here.
func (s *scanner) emit(v Value) {
	if s.top == 0 {
		s.state = documentDone
	} else {
		s.state = afterValue
	}
	if s.here == nil || s.here.path < 0 {
		return
	}
	v.Path = s.here.path
	if v.Kind < Array && s.top > 0 && s.here == s.stack[s.top-1].node.any {
		v.Key = s.key[:s.keyN]
	}
	for i := s.top - 1; i >= 0; i-- {
		if s.stack[i].array {
			v.Index = int(s.stack[i].count) - 1
			break
		}
	}
	s.sink.Value(v)
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// isLiteral reports whether c can stand in a number, true, false or null.
func isLiteral(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '-' || c == '+' || c == '.' || c == 'E'
}

func literalKind(b []byte) (Kind, bool) {
	switch string(b) {
	case "null":
		return Null, true
	case "true", "false":
		return Bool, true
	}
	for _, c := range b {
		if c >= 'a' && c != 'e' {
			return Null, false
		}
	}
	return Number, b[0] <= '9'
}
