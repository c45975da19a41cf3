package model

import "testing"

func TestIDsAsText(t *testing.T) {
	id := TraceID{0xab, 15: 1}
	text, err := id.MarshalText()
	if err != nil || string(text) != "ab000000000000000000000000000001" {
		t.Fatalf("%q, %v", text, err)
	}
	var back TraceID
	if err := back.UnmarshalText(text); err != nil || back != id {
		t.Errorf("%v, %v", back, err)
	}
	var span SpanID
	for _, bad := range []string{"", "ab", "ab00000000000000000000000000000g", "00000000000000000", "000000000000000x"} {
		if err := span.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q is taken for an id", bad)
		}
	}
}
