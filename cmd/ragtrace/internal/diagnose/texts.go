package diagnose

// A causeText is what can be said of a cause without looking at a trace.
type causeText struct {
	advice  string // one line: what to do
	explain string // what it is, how it is told, how to verify it, what to do
}

// texts has an entry for every cause.
var texts = map[string]causeText{
	causeLLMLoad: {
		advice: "Load the chat model before the first question: send an empty /api/generate request with keep_alive at start-up.",
		explain: `The LLM server loaded the model before it could answer.
Told by: a load phase above 250 ms and above five times the usual one; no earlier call explains it.
Verify: run "ollama ps" (GET /api/ps) before the next such question: the model is not listed. Ask the same again: the load is gone. Mind that Ollama's load time also holds the request's upload, its scheduler's queue and the wait for another model's answer to end: when the server's log names a far shorter load, the rest was waiting.
Do: at start-up send POST /api/generate {"model": M, "keep_alive": "24h"} without a prompt, with the options that the questions will have (another num_ctx would load it again); it returns when the model is loaded. Load the embedding model too. The first prefill after a load takes several times as long as the next: one short question of your own takes that away as well.`,
	},
	causeSharedLoad: {
		advice: "Load the chat model before the first question: this one waited for a load that another had started.",
		explain: `The question waited for a model load that another question had triggered a moment before.
Told by: its load phase begins inside the cold load of an earlier question for the same model.
Verify: the two load phases end together, and "ollama ps" shows one copy of the model: the server reports one load to everybody who waited for it.
Do: as for llm_load. The time is paid once, but by everybody who asks meanwhile.`,
	},
	causeEviction: {
		advice: "Let the server keep the chat and the embedding model at once: OLLAMA_MAX_LOADED_MODELS=2 or more, and a smaller num_ctx or model if both do not fit.",
		explain: `Embedding model and chat model push each other out of memory, so that each question loads both.
Told by: both loads are cold in one question, in two questions or more, although the chat model had been used within its keep_alive.
Verify: "ollama ps" shows only one of the two at any time; the server's log says that it unloads a model to make room.
Do: look at OLLAMA_MAX_LOADED_MODELS first: 1 makes this certain, and 2 cures it. When it is not set the limit is three models for each GPU, so it is memory that does not hold both: a smaller num_ctx, fewer parallel slots (each has a context of its own), a smaller model, or the embedding model on the CPU or in another process.`,
	},
	causeKeepAlive: {
		advice: "Set keep_alive above the idle time between questions (or -1, for ever).",
		explain: `The model had been unloaded because nobody used it for longer than its keep_alive.
Told by: a cold load, and the model's last use ended longer ago than the keep_alive of its latest call (300 s when a request says nothing).
Verify: "ollama ps" counts down to the unloading; ask again within that time: no load.
Do: send keep_alive with every request: the latest one wins, so a single call without it (a title, a summary) sets the server's default again. Or set OLLAMA_KEEP_ALIVE on the server. The number -1 keeps the model for ever (the text "-1" is refused: it has no unit); the model then stays in memory.`,
	},
	causeReload: {
		advice: "Send the same options with every call of a model: a changed num_ctx makes the server load it again.",
		explain: `The model was loaded, but with other options, and had to be loaded again.
Told by: a cold load although the model was in use within keep_alive, and num_ctx differs from the call before.
Verify: the model is listed by "ollama ps" throughout; with equal options the load is gone.
Do: use one num_ctx (also num_batch, num_gpu, main_gpu, use_mmap, num_thread, adapters) for all calls of a model: title, summary and rewriting calls often forget it, and a call that says nothing asks for the default. Two names over the same weights share one loaded copy, so a second name with another num_ctx does not help: put the size into the model instead (PARAMETER num_ctx) and send none.`,
	},
	causeQueue: {
		advice: "Allow more requests at once (OLLAMA_NUM_PARALLEL; each slot costs memory for its own context, and all slots share the speed) or send fewer at once.",
		explain: `The call waited inside the LLM server before its prompt was read: for a slot, or for the server's own preparation.
Told by: server time between load and prefill. Ollama names it in no figure but its total; it holds the wait for a slot, the template, tokenising, images and grammars. vLLM reports its queue.
Verify: send the question alone: a wait for a slot is gone, preparation is not. Send several at once: it grows with the length of their answers.
Do: OLLAMA_NUM_PARALLEL (vLLM: --max-num-seqs) allows more at once. The price: every slot takes memory for its own context (num_ctx times the number of slots in all, which may push another model out), and all of them share the speed: of two answers at once, each token takes up to twice as long. Or keep background calls (titles, summaries, ingestion) off the server while people ask.`,
	},
	causeMoreCalls: {
		advice: "Fewer LLM calls for a question: merge or skip some (query rewriting, tool rounds, follow-ups), or run them in parallel.",
		explain: `The question made more LLM calls than the others do.
Told by: more than one and a half times the others' number of calls that did not fail, and the server's work on them makes up the excess.
Verify: list the calls of this question and of another one.
Do: cap tool rounds, rewrite queries only when needed, run independent calls side by side, use a smaller model for the small ones.`,
	},
	causePrefillLong: {
		advice: "Fewer input tokens: retrieve fewer or shorter chunks, and trim the history.",
		explain: `The prompt was much longer than usual, and reading it takes time for every token.
Told by: prefill makes up the excess, and the input tokens are more than one and a half times the others'.
Verify: prefill time per input token is as usual.
Do: a smaller top_k after reranking, shorter chunks, a cut or summarised history, no documents twice.`,
	},
	causeCacheMiss: {
		advice: "Keep the start of the prompt the same, so that the prefix cache helps: system prompt first, no date or id in it, chunks in a stable order.",
		explain: `The server had to read tokens that it usually finds in its prefix cache.
Told by: prefill makes up the excess at the usual number of input tokens, with less than half of the others' cached tokens.
Verify: send the same prompt twice: the second time nearly all of it is cached. Ollama tells that from 0.34 on (prompt_eval_cached_count), llama-server as cache_n, vLLM as cached_tokens.
Do: put what stays the same first (system prompt, instructions), then the history, then the chunks, and what changes each time (date, ids) last. Parallel slots have caches of their own.`,
	},
	causePrefillSlow: {
		advice: "The prompt is as long as usual but was read at a lower rate: look for other load on the LLM server, or a model that does not fit the GPU.",
		explain: `Reading the prompt took longer, although it is neither longer nor less cached than usual.
Told by: prefill makes up the excess, tokens and cached tokens do not.
Verify: repeat the question on an idle server. The first prefill after a load takes several times as long as the next, and one that shares the server with other answers holds their work too.
Do: keep other work off the machine; check with "ollama ps" that the model is on the GPU as a whole.`,
	},
	causeDecodeLong: {
		advice: "Limit the answer (num_predict, max_tokens) or ask for a shorter one.",
		explain: `The answer was much longer than usual; each token took its usual time.
Told by: decode makes up the excess, and the output tokens are the larger multiple of the others' than the time per token.
Verify: compare output tokens and time per output token of the two questions.
Do: num_predict or max_tokens (for Ollama 0 is no limit), a prompt that asks for brevity, stop sequences. A model that can think does so unless told otherwise (think: false), and its thoughts are output tokens. Stream, so that length hurts less.`,
	},
	causeDecodeSlow: {
		advice: "Each token took longer than usual: look for other requests on the LLM server at that time, or a model that does not fit the GPU.",
		explain: `The answer was not much longer, but each token took longer.
Told by: decode makes up the excess, and the time per output token is the larger multiple of the others' than the tokens.
Verify: repeat the question on an idle server. Of two answers at once, each gets about half the speed. "ollama ps" tells how much of the model is on the GPU.
Do: fewer requests at once, a model that fits the GPU as a whole, a smaller context. A grammar (structured output) costs time at every token in some versions, and so does a client that reads late.`,
	},
	causeServer: {
		advice: "The LLM server spent time that none of its figures accounts for: look into its log at that time.",
		explain: `The server's time for the call is longer than its load, queue, prefill and decode together.
Told by: the server's span, or a phase without a name, makes up the excess.
Verify: the server's log, or its debug level, for that moment.
Do: depends on what it did: image decoding, grammar building, sampling, thinking before a structured answer, writing to a client that did not read. Ollama's /api/generate turns the context array into text and back, seconds for a long one and in no figure: use /api/chat, or do not send it.`,
	},
	causeLLMSlow: {
		advice: "These spans do not tell what the LLM server did: trace the call with ragtrace's transport, or let the server send its own spans, to tell load, queue, prefill and decode apart.",
		explain: `The LLM call took longer, and nothing in the trace says how the server spent it. A model load, a queue, a long prompt or a long answer all look like this.
Told by: the call, or its decode without token counts, makes up the excess.
Verify: only with more data.
Do: send the calls through ragtrace's transport or proxy, which read the server's figures, or switch on the server's tracing (vLLM: --otlp-traces-endpoint). Ollama gives no figures on /v1: use /api/chat. llama-server gives them on both.`,
	},
	causeRetry: {
		advice: "Attempts of the LLM call failed and were repeated: look at their status, fail sooner (timeout) and wait less before the next.",
		explain: `Attempts failed and were made again; their time and the waits between are lost.
Told by: failed HTTP requests below the call, or failed calls, make up the excess.
Verify: the status codes on the attempts' spans: 429 and 503 are overload (Ollama: its queue is full; llama-server: it is still loading), other 5xx a fault of the server, no code the network.
Do: a shorter timeout for a try, a shorter first back-off with jitter, another server to fall back on; cure the overload (llm_queue).`,
	},
	causeConnection: {
		advice: "Share one HTTP client and read each response body to its end before closing it, so that connections are reused.",
		explain: `New connections were set up: DNS, TCP, TLS.
Told by: connection spans make up the excess, or more than 20 ms and three times the usual.
Verify: the spans' ragtrace.http.conn.reused is false. After some idle time this is normal: servers close idle connections.
Do: one client for the process; connect at start-up; keep idle connections for longer than questions are apart; look at DNS when that part is the long one.`,
	},
	causeNotReused: {
		advice: "Share one HTTP client and read each response body to its end before closing it, so that connections are reused.",
		explain: `Most questions set up new connections: DNS, TCP, TLS, again and again.
Told by: 20 ms or more of connection set-up in more than half of the questions, the first one aside.
Verify: ragtrace.http.conn.reused is false on every call.
Do: one HTTP client for the process, not one for a call; read bodies to EOF and close them; no Connection: close, no DisableKeepAlives; enough idle connections per host (Go: MaxIdleConnsPerHost).`,
	},
	causeEmbedLoad: {
		advice: "Load the embedding model before the first question: embed a word at start-up, with a long keep_alive.",
		explain: `The embedding model was loaded before the question could be embedded. This is outside the LLM.
Told by: a load span of the embedder above 250 ms and five times the usual one; or, where no span tells it, a first use that takes more than three times the others' and 250 ms above.
Verify: ask again: the load is gone.
Do: embed a word at start-up; send keep_alive with embedding calls too; an embedder inside the application belongs into the process's start, and its files onto the disk: a first use may download them.`,
	},
	causeEmbedSlow: {
		advice: "Embedding took longer than usual: look at the embedder's load, and at the length and number of the inputs.",
		explain: `The embedding call took longer, and not because of a first use.
Told by: the embedding stage makes up the excess.
Verify: ragtrace.embedding.input.count of this question and of others; what else the embedder did at that time (an ingestion?).
Do: keep ingestion off the embedder while people ask; embed the question only.`,
	},
	causeIndexCold: {
		advice: "Run one search at start-up, so that the index is in memory before the first question.",
		explain: `The first search was far longer than the others: the index came from disk, or a collection was loaded.
Told by: the first question that searches takes more than three times the others' search and 250 ms above.
Verify: restart the store and search twice: the second is fast.
Do: a search at start-up; vectors and index in memory where they fit (Qdrant: on_disk off; Milvus: load the collection; pgvector: pg_prewarm).`,
	},
	causeSearchSlow: {
		advice: "The search took longer than usual: look at the vector store's load, the filter, and top_k.",
		explain: `The vector search took longer, and not because of a first use.
Told by: the search stage makes up the excess.
Verify: the server's own share of it (search.server): if it is short, the time went on the way.
Do: an index on filtered fields, a smaller top_k, no ingestion or optimisation at the same time.`,
	},
	causeRerankCold: {
		advice: "Rerank a pair of words at start-up, so that the reranker is loaded before the first question.",
		explain: `The first rerank was far longer than the others: its model was loaded, or downloaded.
Told by: the first question that reranks takes more than three times the others' and 250 ms above.
Verify: restart and rerank twice: the second is fast.
Do: one rerank at start-up.`,
	},
	causeRerankSlow: {
		advice: "Reranking took longer than usual: fewer or shorter candidates, or less load on the reranker.",
		explain: `The rerank took longer, and not because of a first use.
Told by: the rerank stage makes up the excess.
Verify: the number of candidates and their length, and the server's own share (rerank.server).
Do: fewer candidates, shorter texts, batches that fit.`,
	},
	causeLazyImport: {
		advice: "Import and initialise when the process starts, not with its first question: nothing is recorded in that question's first time.",
		explain: `In the first question of a process, time passed before the first stage: libraries imported, clients and models made on first use.
Told by: the gap at the start is more than three times the others' and 250 ms above, in the process's first question.
Verify: restart and ask twice. In Python: python -X importtime; in any language a profile of the first request.
Do: import and make clients at start-up, then ask one question of your own before the real ones; report ready only after that.`,
	},
	causeAppGap: {
		advice: "No stage covers this time: add a stage around what the application does there, to see what it is.",
		explain: `Time passed in the application that no stage covers.
Told by: gaps between stages make up the excess.
Verify: look at the waterfall: the gap lies between two named stages. A profile of that moment tells more.
Do: wrap the work in a stage. Common finds: a lock, a pool without free connections, a garbage collection, a database call that is not traced, a limit on requests.`,
	},
	causeEnter: {
		advice: "The question took long to arrive: look at the network and the proxies before the application, and at its queue of requests.",
		explain: `The time from the key press to the arrival at the server was longer than usual.
Told by: the enter stage makes up the excess.
Verify: the browser's network timings: blocked, DNS, connect, TLS, sending.
Do: keep the connection open, look for a proxy that waits for the whole body, and for too few workers.`,
	},
	causeGateway: {
		advice: "The gateway held the call: look at its queue, rate limit, guardrails, cache look-up and logging at that time.",
		explain: `A gateway between application and LLM spent time of its own. It lies below the LLM call, but outside the LLM.
Told by: gateway spans, without what they sent on, make up the excess.
Verify: gateway.queue and other spans below it; call the LLM server directly.
Do: raise its limits, move checks and logging out of the way, keep its upstream connections open.`,
	},
	causeTransport: {
		advice: "The LLM call's time went neither into the server nor a gateway: look at the network between them and the client's reading of the stream.",
		explain: `What is left of the LLM call when server, gateway, connection and failed attempts are taken away.
Told by: that remainder makes up the excess.
Verify: call the server from the same machine without the application; watch for a reader that falls behind.
Do: a nearer server, smaller bodies (images in the prompt are uploaded), a client that reads as fast as it comes.`,
	},
	causeAnswer: {
		advice: "The answer went on after the LLM was done: look at what happens to it before the last byte (checks, rendering, a user who reads slowly).",
		explain: `The answer was still being sent when no other stage was active any more.
Told by: the answer stage alone makes up the excess.
Verify: what the application does after the last token; the user's connection.
Do: send what is there and do the rest (storing, titles, follow-ups) after the handler has returned: it is then that the body ends.`,
	},
	causeApp: {
		advice: "Preparing the question or building the prompt took longer than usual: look at what the application does there.",
		explain: `The application's own stages, prepare and prompt, took longer.
Told by: both together make up the excess.
Verify: a profile of that moment; time the parts as stages of their own.
Do: cache templates and tokenisers, load the history once, count tokens once.`,
	},
	causeBuffering: {
		advice: "Make the gateway pass the stream on as it comes: X-Accel-Buffering: no, proxy_buffering off, no compression.",
		explain: `The server streams, but the first chunk reaches the application when the answer is nearly done: something between them holds it back. The answer does not take longer; nobody sees it come.
Told by: the first chunk arrives after 80 % of the decode phase or more, in more than half of the questions.
Verify: curl -N against the server, then through the gateway: the first prints bit by bit, the second all at once.
Do: answer with X-Accel-Buffering: no (nginx: proxy_buffering off), no compression of event streams, no guardrail or cache that waits for the whole answer.`,
	},
	causeNoStreaming: {
		advice: "Pass tokens on as they come and flush after each: the application has the first one early and sends it late.",
		explain: `The application gets the tokens in time, yet its user sees the first when the answer is nearly done.
Told by: the first chunk comes before half of the decode phase, and the answer starts after 80 % of it, in more than half of the questions.
Verify: curl -N against the application: it prints all at once.
Do: write each chunk and flush it; no middleware that collects the body (compression, logging, a response wrapper without Flush).`,
	},
}
