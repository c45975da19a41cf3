// Package stream reads JSON as it flows by, without keeping it.
//
// In come the bytes of a body, cut anywhere, and the moments at which they arrived. Out go, to a Sink, the few values
// that a Schema names and the moment at which each document (a body, an NDJSON line, a server-sent event) was complete.
// Nothing else is held: a line of 100 MB costs no memory, no allocation and no delay, and a text of which only the length
// matters is never copied.
//
// Values of a document come before the document itself, so a Sink acts when the document is known to be whole.
// Containers that no path leads into are skipped by their brackets and quotes alone and are not checked further.
//
// It imports the standard library only.
package stream
