package diagnose

import (
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// A Status is how a question ended. Only ok questions are compared.
type Status string

const (
	StatusOK         Status = "ok"
	StatusError      Status = "error"
	StatusCancelled  Status = "cancelled"
	StatusIncomplete Status = "incomplete" // its root is missing, or its answer broke off
)

// Flags are doubts about a question's spans. Each is raised once.
const (
	FlagDuplicateSpans   = "duplicate_spans"    // a span came more than once
	FlagBadValue         = "bad_value"          // a span or duration attribute was impossible and was left out
	FlagMissingRoot      = "missing_root"       // the question's root never came: times are unknown
	FlagOrphanSpans      = "orphan_spans"       // spans whose parent never came were put below the root
	FlagClockAdjusted    = "clock_adjusted"     // another machine's spans were moved into their parent
	FlagPhasesUnknown    = "phases_unknown"     // an LLM call tells nothing of queue, load, prefill and decode
	FlagPartsExceedWhole = "parts_exceed_whole" // the durations that a call reports are longer than the call
	FlagSuspectUnits     = "suspect_units"      // durations were read in another unit than their name says
)

// A Question is what is kept of one question's spans: enough to judge it, nothing that was said. It can be written as
// JSON and read back without loss.
type Question struct {
	TraceID model.TraceID `json:"trace_id"`
	RootID  model.SpanID  `json:"root_id"` // zero when the root is missing

	Session  string `json:"session"`  // "" when the spans name none
	Number   int    `json:"number"`   // as the spans name it, from 1; 0: none, its place in the session counts
	Service  string `json:"service"`  // service.name of the root
	Instance string `json:"instance"` // service.instance.id of the root
	Pipeline string `json:"pipeline"` // name of the pipeline, else of the root span

	Start  int64    `json:"start"` // Unix nanoseconds; 0 when the root is missing
	End    int64    `json:"end"`
	Status Status   `json:"status"`
	Flags  []string `json:"flags"` // sorted

	// Components add up to End - Start exactly.
	Components Components `json:"components"`
	// Stages has bit i set when the question has a span of component i, however short.
	Stages uint32 `json:"stages"`

	// TTFT is the time from the root's start (Enter) to the first token of the answer, by the best ruler that the spans
	// have; TTFTRuler says which. 0 with RulerNone, as without an LLM call.
	TTFT      time.Duration `json:"ttft"`
	TTFTRuler Ruler         `json:"ttft_ruler,omitempty"`
	// FirstByte is the time from Enter to the first byte of the answer to the user, which may come long before a token:
	// sources, a comment that keeps the connection open. nil when no span tells it.
	FirstByte *time.Duration `json:"first_byte,omitempty"`

	Calls []Call `json:"calls"` // of the LLM, by start; failed ones too

	EmbedModel string `json:"embed_model,omitempty"` // first embedding model used; "" when unknown

	// HeldBack says that the last call streamed and its tokens still reached the user late.
	HeldBack HeldBack `json:"held_back,omitempty"`
}

// A Ruler says between which two points a TTFT was measured.
type Ruler string

const (
	RulerNone   Ruler = ""           // no TTFT
	RulerUser   Ruler = "user"       // Enter to the first token at the user, who cannot have it before the application does
	RulerByte   Ruler = "first_byte" // Enter to the answer's first byte, as no span tells when the first token came
	RulerClient Ruler = "client"     // Enter to the first chunk at the LLM client
	RulerServer Ruler = "server"     // Enter to the first token as the LLM server reports it
)

// HeldBack says who kept a streamed answer's tokens back until most of it was generated.
type HeldBack string

const (
	HeldByNobody  HeldBack = ""
	HeldByGateway HeldBack = "gateway"     // something between LLM server and application
	HeldByApp     HeldBack = "application" // the application, which had the tokens in time
)

// A Call is one call of the answering model.
type Call struct {
	Model  string `json:"model"` // as requested, else as answered; "" when unknown
	Start  int64  `json:"start"` // Unix nanoseconds, on the clock of the question's root
	End    int64  `json:"end"`
	Failed bool   `json:"failed,omitempty"`

	// KeepAlive is for how long the model stays loaded after the call: as sent, else the server's default of 300 s.
	// Negative means for ever.
	KeepAlive     time.Duration `json:"keep_alive"`
	KeepAliveSent bool          `json:"keep_alive_sent,omitempty"`
	NumCtx        int64         `json:"num_ctx,omitempty"` // 0 when not sent

	// Tokens; -1 when unknown.
	Input  int64 `json:"input"`
	Output int64 `json:"output"`
	Cached int64 `json:"cached"` // of the input

	// Provider is whose API or which server answered, in lower case: ollama, vllm, openai; "" when unknown.
	Provider string `json:"provider,omitempty"`

	// Server is the address and port that the call went to: "localhost:11434"; "" unless the span tells both.
	Server string `json:"server,omitempty"`

	Pace

	// LoadStart and LoadEnd bound the call's longest load phase; both 0 when it has none.
	LoadStart int64 `json:"load_start,omitempty"`
	LoadEnd   int64 `json:"load_end,omitempty"`
}

// A Pace is how the tokens of a call came. What no span tells is nil.
type Pace struct {
	TTFT       *time.Duration `json:"ttft,omitempty"`        // from the call's start to its first token at the client
	TTFA       *time.Duration `json:"ttfa,omitempty"`        // likewise to the first one that is no reasoning and no tool call
	TTFTServer *time.Duration `json:"ttft_server,omitempty"` // from the request's arrival to the first token, as the server reports
	TPOT       *time.Duration `json:"tpot,omitempty"`        // for each output token after the first
	ITLP50     *time.Duration `json:"itl_p50,omitempty"`     // median of the gaps between the call's chunks at the client
	ITLP95     *time.Duration `json:"itl_p95,omitempty"`
}

// E2E is the end-to-end time: from Enter to the last byte of the answer. 0 when the root is missing.
func (q *Question) E2E() time.Duration { return time.Duration(q.End - q.Start) }

// Timed reports whether the question's times are known; they are not when its root is missing.
func (q *Question) Timed() bool { return q.Start != 0 }
