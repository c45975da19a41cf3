package stream

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestValues(t *testing.T) {
	long := strings.Repeat("é", 300) // 600 bytes
	for _, tt := range []struct {
		name, paths, text, want string
	}{
		{"scalars", "a b c d e", `{"a":"x","b":-1.5e3,"c":true,"d":false,"e":null}`,
			`a="x" b=-1.5e3 c=true d=false e=null --`},
		{"white space everywhere", "a.b", " {\r\n\t\"a\" : { \"b\" : 1 } } \n", `a.b=1 --`},
		{"other keys", "b", `{"a":{"b":1,"c":["}"]},"b":2,"bb":3}`, `b=2 --`},
		{"in an array", "a[].b", `{"a":[{"b":1},{"c":2},{"b":3}]}`, `a[].b=1 a[].b=3@2 --`},
		{"array at the top", "[].s", `[{"s":1},{"s":2}]`, `[].s=1 [].s=2@1 --`},
		{"elements are counted", "a a[] b c", `{"a":[[1,2,3],[4]],"b":[],"c":{"x":[1,2],"y":"}"}}`,
			`a[]=[3] a[]=[1]@1 a=[2] b=[0] c={2} --`},
		{"elements with commas inside", "a", `{"a":["1,2",[3,4],{"b":5,"c":6}]}`, `a=[3] --`},
		{"empty containers", "a b", `{"a":[ ],"b":{ }}`, `a=[0] b={0} --`},
		{"escapes", "a", `{"a":"\"\\\/\b\f\n\r\t\u00e9\u20AC"}`, `a="\"\\/\b\f\n\r\té€" --`},
		{"surrogates", "a", `{"a":"\ud83d\ude00"}`, `a="😀" --`},
		{"lone surrogates", "a", `{"a":"\ud83dx\ude00\ud83d"}`, `a="�x��" --`},
		{"escaped key", "model", `{"mod\u0065l":"m"}`, `model="m" --`},
		{"key longer than any path", "a", `{"` + strings.Repeat("k", 2000) + `":1,"a":2}`, `a=2 --`},
		{"only measured", "a#", `{"a":"h\u00e9llo"}`, `a="" of 6 --`},
		{"long text is cut between runes", "a", `{"a":"` + "x" + long + `"}`,
			`a="x` + strings.Repeat("é", 255) + `" of 601 --`},
		{"strings in a skipped container", "b", `{"a":["\"]",{"x":"\\"}],"b":1}`, `b=1 --`},
		{"a container where text was expected", "a", `{"a":{"b":"c"}}`, `a={1} --`},
		{"text where a container was expected", "a.b", `{"a":"b"}`, `--`},
		{"any field", "a.* a.b b.*[].c", `{"a":{"x":1,"b":2,"yy":[3]},"b":{"k":[{"c":4}],"l":[{"c":5},{"d":6}]}}`,
			`x:a.*=1 a.b=2 a.*=[1] b.*[].c=4 b.*[].c=5 --`},
		{"any field of any", "*.* *", `{"a":{"x":true,"y":"z"},"b":null}`, `x:*.*=true y:*.*="z" *={2} b:*=null --`},
		{"any field of a long name", "*", `{"` + strings.Repeat("k", 2000) + `":1}`, strings.Repeat("k", maxKey) + `:*=1 --`},
		{"the document itself", "$ a", `{"a":1}`, `a=1 $={1} --`},
		{"a number alone", "$", `12`, `$=12 --`},
		{"same key twice", "a", `{"a":1,"a":2}`, `a=1 a=2 --`},
		{"deep nesting", "b", `{"a":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `,"b":1}`, `b=1 --`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			paths := strings.Fields(tt.paths)
			want := strings.ReplaceAll(tt.want, " ", "\n")
			want = strings.ReplaceAll(strings.ReplaceAll(want, "\nof\n", " of "), "@", " @")
			if diff := cmp.Diff(want, split(JSON, true, paths, tt.text)); diff != "" {
				t.Errorf("in one piece (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(want, bytewise(JSON, true, paths, tt.text)); diff != "" {
				t.Errorf("byte by byte (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMalformed(t *testing.T) {
	for _, text := range []string{
		`{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":"x`, `{"a" 1}`, `{"a":1,}`, `{,}`, `{"a":1]`, `[1}`, `{"a":tru}`, `{"a":nul}`,
		`{"a":truee}`, `{"a":1x}`, `{"a":}`, `{a:1}`, `<html>`, `upstream connect error`, `{"a":'x'}`, `{"a":+1}`,
	} {
		if got := split(JSON, true, []string{"a", "[]"}, text); !strings.HasSuffix(got, "-- malformed") {
			t.Errorf("%s: got %q, want it malformed", text, got)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, tt := range []struct {
		text string
		n    int64
		ok   bool
	}{
		{"12", 12, true}, {"-9223372036854775808", -9223372036854775808, true}, {"9223372036854775807", 9223372036854775807, true},
		{"1.9", 1, true}, {"2e3", 2000, true}, {"9223372036854775808", 0, false}, {"1e30", 0, false}, {"1-2", 0, false},
	} {
		if n, ok := (Value{Kind: Number, Text: []byte(tt.text)}).Int(); n != tt.n || ok != tt.ok {
			t.Errorf("Int of %s is %d, %v; want %d, %v", tt.text, n, ok, tt.n, tt.ok)
		}
	}
	if _, ok := (Value{Kind: String, Text: []byte("1")}).Float(); ok {
		t.Error("a text is a number")
	}
}

func TestSchemaRefusesWhatItCannotCompile(t *testing.T) {
	for _, paths := range [][]string{{"a", "a"}, {"a#", "a"}, {strings.Repeat("a.", 16) + "a"}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("NewSchema(%q) did not panic", paths)
				}
			}()
			NewSchema(paths...)
		}()
	}
}

// TestEnd wants the last 512 bytes of a long text, however it is cut, and nothing of one that was kept whole.
func TestEnd(t *testing.T) {
	digits := strings.Repeat("0123456789", 200)
	for _, tt := range []struct{ name, text, want string }{
		{"short", "x", ""},
		{"kept whole", digits[:maxText], ""},
		{"one byte more", digits[:maxText+1], digits[1 : maxText+1]},
		{"long", digits + "end", digits[len(digits)-509:] + "end"},
		{"with escapes", digits + `\u00e9\"`, digits[len(digits)-509:] + `é"`},
		{"begins with a whole rune", strings.Repeat("é", 600) + "x", strings.Repeat("é", 255) + "x"},
	} {
		for _, size := range []int{1, 7, 513, 1 << 20} {
			var got []string
			s := NewSplitter(NewSchema("a~"), JSON, &ends{&got})
			doc := `{"a":"` + tt.text + `","b":"` + digits + `"}`
			for len(doc) > 0 {
				n := min(size, len(doc))
				s.Write(0, []byte(doc[:n]))
				doc = doc[n:]
			}
			if len(got) != 1 || got[0] != tt.want {
				t.Errorf("%s in pieces of %d: got %q, want %q", tt.name, size, got, tt.want)
			}
		}
	}
}

type ends struct{ of *[]string }

func (e *ends) Value(v Value)     { *e.of = append(*e.of, string(v.End)) }
func (e *ends) Document(Document) {}

// TestBrokenOff: what breaks off may have gone on, unless its own end was there.
func TestBrokenOff(t *testing.T) {
	for text, want := range map[string]string{
		`12`: "", `12 `: "$=12\n--", `true`: "", `"x"`: "$=\"x\"\n--", `{"a":1}`: "$={1}\n--", `{"a":1`: "",
	} {
		if got := split(JSON, false, []string{"$"}, text); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
