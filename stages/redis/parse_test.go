package redis

import (
	"strings"
	"testing"

	"github.com/ragtrace/ragtrace/stages"
)

// The commands are after Redis' command reference; a vector is written as BLOB.
func TestParse(t *testing.T) {
	for line, want := range map[string]Command{
		"FT.SEARCH|idx|*=>[KNN 10 @v $q]|PARAMS|2|q|BLOB|DIALECT|2":                         {stages.OpSearch, "idx", 10},
		"ft.search|idx|(@year:[2020 2024])=>[knn 3 @v $q AS d]|SORTBY|d|LIMIT|0|99":         {stages.OpSearch, "idx", 3},
		"FT.SEARCH|idx|*=>[KNN $k @v $q]|PARAMS|4|k|7|q|BLOB":                               {stages.OpSearch, "idx", 7},
		"FT.SEARCH|idx|*=>[KNN $k @v $q]|PARAMS|9|k|7":                                      {stages.OpSearch, "idx", 0},
		"FT.SEARCH|idx|@v:[VECTOR_RANGE 0.5 $q]|LIMIT|0|5":                                  {stages.OpSearch, "idx", 5},
		"FT.AGGREGATE|idx|*=>[KNN 4 @v $q]":                                                 {stages.OpSearch, "idx", 4},
		"FT.HYBRID|idx|SEARCH|words|VSIM|@v|$q|KNN|2|K|12|COMBINE|RRF|PARAMS|2|q|BLOB":      {stages.OpSearch, "idx", 12},
		"FT.HYBRID|idx|SEARCH|words|VSIM|@v|$q|KNN|4|K|$n|EF_RUNTIME|9|PARAMS|4|q|BLOB|n|6": {stages.OpSearch, "idx", 6},
		"FT.HYBRID|idx|SEARCH|words|VSIM|@v|$q":                                             {stages.OpSearch, "idx", 0},
		"FT.SEARCH|idx|@title:hello|LIMIT|0|5":                                              {stages.OpRead, "idx", 0},
		"FT.SEARCH|idx|@title:\"=>[KNN 5 @v $q]\"":                                          {stages.OpRead, "idx", 0},
		"FT.SEARCH|idx|@title:a=>{$weight: 5}":                                              {stages.OpRead, "idx", 0},
		"FT.SEARCH|idx|(@t:a)=>{$weight: 5} @t:b=>[KNN 2 @v $q]":                            {stages.OpSearch, "idx", 2},
		"VSIM|docs|ELE|COUNT|WITHSCORES|COUNT|3":                                            {stages.OpSearch, "docs", 3},
		"VSIM|docs|VALUES|3|0.1|0.2|0.3|COUNT|5|EF|100":                                     {stages.OpSearch, "docs", 5},
		"VSIM|docs|FP32|BLOB":                                                               {stages.OpSearch, "docs", 0},
		"VADD|docs|VALUES|2|1|0|a":                                                          {stages.OpUpsert, "docs", 0},
		"VREM|docs|a":                                                                       {stages.OpDelete, "docs", 0},
		"vcard|docs":                                                                        {stages.OpRead, "docs", 0},
		"HSET|doc:1|v|BLOB":                                                                 {},
		"GET|KNN":                                                                           {},
		"FT.SEARCH|idx":                                                                     {},
		"PING":                                                                              {},
		"":                                                                                  {},
	} {
		if got := Parse(strings.Split(line, "|")...); got != want {
			t.Errorf("%s: %+v, want %+v", line, got, want)
		}
	}
	if got := Parse(); got != (Command{}) {
		t.Errorf("no arguments: %+v", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("FT.SEARCH|idx|*=>[KNN $k @v $q]|PARAMS|4|k|7|q|BLOB")
	f.Add("VSIM|docs|VALUES|9223372036854775807|0.1|COUNT|5")
	f.Add("FT.HYBRID|idx|KNN")
	f.Fuzz(func(t *testing.T, line string) {
		if got := Parse(strings.Split(line, "|")...); got.TopK < 0 || got.TopK > 0 && got.Operation != stages.OpSearch {
			t.Fatalf("%+v", got)
		}
	})
}

// TestWorkIsBounded: quadratic work on a query of this size would take minutes.
func TestWorkIsBounded(t *testing.T) {
	for _, piece := range []string{"=>", "=>[", "=> x ", `"`, `\"`, "[VECTOR_RANGE"} {
		Parse("FT.SEARCH", "index", strings.Repeat(piece, 1<<17/len(piece)))
	}
}
