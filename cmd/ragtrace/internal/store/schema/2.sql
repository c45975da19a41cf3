-- Spans are kept by trace, packed, and not each in a row of its own: that is a third of the work and of the space.
CREATE TABLE chunk (
    id   INTEGER PRIMARY KEY, -- trace << 24 | the place in the trace, so that a trace's chunks lie side by side
    data BLOB NOT NULL        -- spans, see chunk.go
) STRICT;

-- What reading asks for most: the questions that the spans were cut into. What is in data is for those to know who cut them.
CREATE TABLE question (
    id      INTEGER PRIMARY KEY, -- trace << 24 | the place in the trace
    start   INTEGER NOT NULL,    -- Unix nanoseconds; 0 when unknown
    session TEXT NOT NULL,
    data    BLOB NOT NULL
) STRICT;

-- Traces whose questions are behind their spans.
CREATE TABLE changed (
    trace   INTEGER PRIMARY KEY REFERENCES trace,
    at      INTEGER NOT NULL, -- Unix milliseconds of the last change
    version INTEGER NOT NULL  -- differs after every change
) STRICT;

-- In which format the questions are, in one row.
CREATE TABLE question_format (
    format INTEGER NOT NULL
) STRICT;
INSERT INTO question_format VALUES (0);

ALTER TABLE trace ADD COLUMN came INTEGER NOT NULL DEFAULT 0;   -- Unix seconds when the first span came
ALTER TABLE trace ADD COLUMN seen INTEGER NOT NULL DEFAULT 0;   -- and when the last one did
ALTER TABLE trace ADD COLUMN chunks INTEGER NOT NULL DEFAULT 0; -- the place of the next one
ALTER TABLE trace ADD COLUMN spans INTEGER NOT NULL DEFAULT 0;
CREATE INDEX trace_seen ON trace (seen);

ALTER TABLE envelope ADD COLUMN seen INTEGER NOT NULL DEFAULT 0; -- Unix seconds when a span last came in it, to the hour

-- Questions know their sessions better than traces do.
DROP TABLE session;
