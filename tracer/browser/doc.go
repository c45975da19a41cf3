// Package browser measures a question where it is asked: from the moment Enter is pressed in a page to the last paint of
// the answer.
//
// In come key presses, the page's own request and the changes of its text; out go request headers and one beacon. It is a
// script of less than 4 kB without dependencies, and a handler that serves it. It imports package tracer.
//
//	mux.Handle("POST /ask", tracer.Middleware(ask))
//	mux.Handle("/.ragtrace/", browser.Handler())
//
// and in the page, before the scripts that ask:
//
//	<script src="/.ragtrace/enter.js" data-ask="/ask" data-answer=".answer"></script>
//
// The attributes of the script's element are
//
//   - data-ask: the path, from its slash on, that the page asks by fetch or EventSource, on its own origin. Nothing else is
//     touched.
//   - data-answer: a selector of the element, or of each, that holds the text of an answer and nothing else. Without it
//     paints are unknown, and a question ends with the last byte that the page received.
//   - data-session: the session, if there is one. It may be set later, and is read at each question.
//   - data-paint: where the beacon goes on the page's origin; /.ragtrace/paint without.
//
// # What is measured
//
// Enter is the Enter key in a form field (not in the middle of an input method's composition, nor with Shift), or the submit
// of a form, whichever comes first. A click, be it by a key, or a new line after it takes it back. A page that sends otherwise
// calls ragtrace.enter() at the moment that counts, a click on its button say.
//
// Text is painted when an animation frame has passed after it came into an element of data-answer; in a page in the
// background, which has no frames, when it came into the document. What changes before the response's head is there does not
// count. The question is over when nothing was painted for a second after the last byte, and eight seconds after that byte
// at the latest; a new question or leaving the page ends it too.
//
// All times are differences of performance.now(), sent as milliseconds: the clocks of two machines are never compared. The
// moment of sending is taken for the arrival at the server, see [tracer.PaintHandler].
//
// # What is sent
//
// A fetch gets the headers Ragtrace-Enter, Ragtrace-Page and traceparent, and Ragtrace-Session. An EventSource cannot have
// headers and gets query parameters of these names in lower case, which the middleware reads from a GET of an event stream
// only; a cookie would go with the requests of other tabs too. Query parameters stand in access logs: leave data-session away
// where a session must not. When all is painted, a beacon (navigator.sendBeacon) tells [tracer.PaintHandler] four durations.
//
// The traceparent holds random identifiers and the flag sampled, so that a tracing proxy on the way keeps the trace. The
// middleware takes the trace over but not the flag: its own sampler decides, since a page must not. The page's span is
// recorded nowhere, so the question is the root of the trace, unless such a proxy stands between. An unsampled question is
// neither waited for nor reported on.
//
// The middleware keeps a question open until the beacon comes, for at most ten seconds after the handler has returned. A
// beacon that reaches another process of the same service is in vain: the question then ends with its last byte, and has
// the flag no_paint.
//
// # What it leaves alone
//
// The page gets the promise, the response with its body, and the errors that it would get without the script, which swallows
// its own errors, needs no server side, and runs below a Content-Security-Policy of script-src 'self' and connect-src 'self'.
// XMLHttpRequest, text within shadow roots, and calls of a fetch that was taken before the script ran are not seen.
package browser
