// Package redis recognises vector searches in Redis commands: FT.SEARCH, FT.AGGREGATE and FT.HYBRID of its query engine,
// and the commands of vector sets.
//
// In come a command's arguments; out goes what it searches and how many hits it wants. Vectors among the arguments are
// not looked at. What the arguments mean was read in Redis' command reference (FT.SEARCH, FT.HYBRID, VSIM) and its
// documentation of vector search. It imports stages.
package redis
