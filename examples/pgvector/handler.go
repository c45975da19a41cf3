package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// answer answers a question with the names of the points that are nearest.
func (s *store) answer() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		search, place, k, err := s.question(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		names, err := search(r.Context(), place, k)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		for _, name := range names {
			fmt.Fprintln(w, name)
		}
	})
}

// A searcher finds the k nearest points.
type searcher func(ctx context.Context, place []string, k int) ([]string, error)

const most = 1000

func (s *store) question(r *http.Request) (search searcher, place []string, k int, err error) {
	place = strings.Split(r.FormValue("near"), ",")
	for _, number := range place {
		if _, err := strconv.ParseFloat(number, 64); err != nil || len(place) != 3 {
			return nil, nil, 0, fmt.Errorf("near is %q: want three numbers like 2.1,3,4.8", r.FormValue("near"))
		}
	}
	k = 10
	if v := r.FormValue("k"); v != "" {
		if k, err = strconv.Atoi(v); err != nil || k < 1 || k > most {
			return nil, nil, 0, fmt.Errorf("k is %q: want a number from 1 to %d", v, most)
		}
	}
	switch by := r.FormValue("by"); by {
	case "", "sql":
		return s.searchSQL, place, k, nil
	case "pgx":
		return s.searchPgx, place, k, nil
	default:
		return nil, nil, 0, fmt.Errorf("by is %q: want sql or pgx", by)
	}
}
