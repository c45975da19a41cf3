-- A span is kept as the protobuf in which it came. The columns beside it are what reading needs to find it.

-- What stands around spans: resources and scopes, each with its schema URL, as the protobuf of a ResourceSpans or
-- ScopeSpans without its content. There are few, so they are kept once.
CREATE TABLE envelope (
    id   INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE, -- SHA-256 of otlp
    otlp BLOB NOT NULL
) STRICT;

CREATE TABLE trace (
    id       INTEGER PRIMARY KEY, -- stands for the 16 random bytes everywhere else, so that new rows go to the end
    trace_id BLOB NOT NULL UNIQUE,
    start    INTEGER NOT NULL,    -- Unix nanoseconds of the first span; 9223372036854775807 when no span has any
    question INTEGER NOT NULL     -- 1 when a span may belong to a question; the rest is health checks and the like
) STRICT;

CREATE INDEX trace_start ON trace (start) WHERE question;

CREATE TABLE span (
    id       INTEGER PRIMARY KEY,
    trace    INTEGER NOT NULL REFERENCES trace,
    span_id  BLOB NOT NULL,
    resource INTEGER NOT NULL REFERENCES envelope,
    scope    INTEGER NOT NULL REFERENCES envelope,
    otlp     BLOB NOT NULL
) STRICT;

-- A span that is delivered twice is kept once.
CREATE UNIQUE INDEX span_trace ON span (trace, span_id);

-- Every session that a span of the trace names.
CREATE TABLE session (
    name  TEXT NOT NULL,
    trace INTEGER NOT NULL REFERENCES trace,
    PRIMARY KEY (name, trace)
) STRICT, WITHOUT ROWID;
