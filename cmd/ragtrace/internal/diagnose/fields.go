package diagnose

import (
	"encoding/binary"
	"time"
)

// A Column is one number of every question of a table, or of every LLM call, or of every flag. All columns together are all
// that there is of the questions. They are kept in files in this order: another order is another format.
type Column int

// The columns that code names. What has a text has its number in the table's texts.
const (
	colStart Column = iota // Unix nanoseconds
	colE2E
	colNumber
	colBits
	colTTFT
	colFirstByte
	colStages
	colCalls // how many
	colFlags // how many
	colTraceHigh
	colTraceLow
	colRoot
	colSession
	colService
	colInstance
	colPipeline
	colStatus
	colEmbedModel
	colRuler
	colHeldBack
	colComponent // the first of them
)

const (
	colFlag     Column = colComponent + Column(numComponents) // of flags
	colCallBits Column = colFlag + 1 + iota                   // of calls, as all that follow
	colCallStart
	colCallTime
	colKeepAlive
	colNumCtx
	colInput
	colOutput
	colCached
	colLoadStart
	colLoadTime
	colModel
	colProvider
	colServer
	colPace // the first of them

	NumColumns = colPace + Column(numPaces)
)

const numPaces = 6

// A Domain is what a column has a number of each of.
type Domain uint8

// The domains.
const (
	OfQuestions Domain = iota
	OfFlags
	OfCalls
	NumDomains
)

// Domain is what c has a number of each of.
func (c Column) Domain() Domain {
	switch {
	case c < colFlag:
		return OfQuestions
	case c == colFlag:
		return OfFlags
	}
	return OfCalls
}

// IsText reports whether the numbers of c stand for texts.
func (c Column) IsText() bool {
	return c >= colSession && c <= colHeldBack || c == colFlag || c >= colModel && c <= colServer
}

// Bits say what a question or a call has.
const (
	hasFirstByte = 1 << iota
	hasFlags     // a list, which may be empty
	hasCalls     // likewise
)

const (
	callFailed = 1 << iota
	callKeepAliveSent
	callLoads
	callPaced // the first of numPaces
)

// paces are the durations of a call that may be unknown.
func paces(c *Call) [numPaces]**time.Duration {
	p := &c.Pace
	return [...]**time.Duration{&p.TTFT, &p.TTFA, &p.TTFTServer, &p.TPOT, &p.ITLP50, &p.ITLP95}
}

// textOf is where a question has a text.
func textOf(c Column, q *Question) *string {
	switch c {
	case colSession:
		return &q.Session
	case colService:
		return &q.Service
	case colInstance:
		return &q.Instance
	case colPipeline:
		return &q.Pipeline
	case colStatus:
		return (*string)(&q.Status)
	case colEmbedModel:
		return &q.EmbedModel
	case colRuler:
		return (*string)(&q.TTFTRuler)
	}
	return (*string)(&q.HeldBack)
}

// callTextOf is where a call has a text.
func callTextOf(c Column, call *Call) *string {
	switch c {
	case colModel:
		return &call.Model
	case colProvider:
		return &call.Provider
	}
	return &call.Server
}

// numberIn is a question's number in a column that is no text.
func numberIn(c Column, q *Question) int64 {
	if c >= colComponent {
		return int64(q.Components[c-colComponent])
	}
	switch c {
	case colStart:
		return q.Start
	case colE2E:
		return q.End - q.Start
	case colNumber:
		return int64(q.Number)
	case colBits:
		return bit(hasFirstByte, q.FirstByte != nil) | bit(hasFlags, q.Flags != nil) | bit(hasCalls, q.Calls != nil)
	case colTTFT:
		return int64(q.TTFT)
	case colFirstByte:
		return orZero(q.FirstByte)
	case colStages:
		return int64(q.Stages)
	case colCalls:
		return int64(len(q.Calls))
	case colFlags:
		return int64(len(q.Flags))
	case colTraceHigh:
		return int64(binary.BigEndian.Uint64(q.TraceID[:8]))
	case colTraceLow:
		return int64(binary.BigEndian.Uint64(q.TraceID[8:]))
	}
	return int64(binary.BigEndian.Uint64(q.RootID[:]))
}

// callNumberIn is a call's number in a column that is no text. Times count from the start of the question.
func callNumberIn(c Column, call *Call, start int64) int64 {
	if c >= colPace {
		return orZero(*paces(call)[c-colPace])
	}
	switch c {
	case colCallBits:
		bits := bit(callFailed, call.Failed) | bit(callKeepAliveSent, call.KeepAliveSent) | bit(callLoads, call.LoadStart != 0 || call.LoadEnd != 0)
		for i, p := range paces(call) {
			bits |= bit(callPaced<<i, *p != nil)
		}
		return bits
	case colCallStart:
		return call.Start - start
	case colCallTime:
		return call.End - call.Start
	case colKeepAlive:
		return int64(call.KeepAlive)
	case colNumCtx:
		return call.NumCtx
	case colInput:
		return call.Input
	case colOutput:
		return call.Output
	case colCached:
		return call.Cached
	}
	if call.LoadStart == 0 && call.LoadEnd == 0 {
		return 0
	}
	if c == colLoadStart {
		return call.LoadStart - start
	}
	return call.LoadEnd - call.LoadStart
}

func bit(b int64, is bool) int64 {
	if is {
		return b
	}
	return 0
}

func orZero(d *time.Duration) int64 {
	if d == nil {
		return 0
	}
	return int64(*d)
}
