-- What many questions are compared by is a few of their numbers. So those of traces that lie side by side are kept together
-- once more, by columns; what reads them reads a thousandth as many rows. A pack is of no more use, and goes, when a question
-- of one of its traces is written again.
CREATE TABLE pack (
    id     INTEGER PRIMARY KEY, -- trace >> 10: the questions of 1024 traces
    traces BLOB NOT NULL,       -- for each question two bytes, little-endian: trace & 1023
    data   BLOB NOT NULL        -- for those to know who cut the questions
) STRICT;

-- Everybody reads all questions, whose times and sessions are in there.
ALTER TABLE question DROP COLUMN start;
ALTER TABLE question DROP COLUMN session;

-- Goes up with every transaction that writes or deletes questions.
ALTER TABLE question_format ADD COLUMN writes INTEGER NOT NULL DEFAULT 0;
