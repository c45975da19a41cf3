// Ragapp is a complete chat application over its own documents, traced by ragtrace.
//
// At the start it cuts the texts in documents/ into passages, embeds them with Ollama and stores them in Weaviate. Then
//
//	curl -N -d '{"question":"What is prefill?","session":"anna"}' http://127.0.0.1:8080/ask
//
// answers a question as plain text, while it is being written. The session is optional; with one, a question may refer to
// the questions before it. At http://127.0.0.1:8080/ is a page that asks.
//
// What ragtrace adds: setup.Start in main.go, tracer.Transport and tracer.Middleware in app.go, and in ask.go the session and
// tracer.Stage around the work that is done in this process; and tracer/browser for the page, with one line in page.html.
package main
