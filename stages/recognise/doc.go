// Package recognise follows one HTTP exchange and tells what it was.
//
// In come the head of a request, the bytes of both bodies as they pass, cut anywhere, and the moments of the exchange.
// Out come stages.Facts. Which API it is follows from the method, the end of the path (a prefix that a gateway adds does
// not matter), the request's body and the shape of the answer; an exchange that nothing recognises keeps APIUnknown and
// no stage. The bytes are only looked at: nothing of a prompt, an answer or a vector is kept.
//
// It imports stages, stream and the packages of the APIs, one each.
package recognise
