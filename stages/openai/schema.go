package openai

import "github.com/ragtrace/ragtrace/stages/stream"

// The values wanted of an answer. Unless another source is named: OpenAI's API reference.
const (
	object = iota
	model
	fingerprint
	kind // of an event of the Responses API

	choices
	choiceIndex
	choiceText
	finishReason
	deltaContent
	deltaReasoning
	deltaReasoningContent
	deltaRefusal
	deltaToolName
	deltaToolArguments
	deltaFunctionArguments
	messageContent
	messageReasoning
	messageReasoningContent
	messageRefusal
	messageToolCalls

	promptTokens
	completionTokens
	inputTokens
	outputTokens
	cachedTokens
	cachedInputTokens
	reasoningTokens
	reasoningOutputTokens
	timingPrompt
	timingGeneration

	errorAny
	errorMessage
	message
	detail

	vectors
	vector
	nativeVector
	nativeVectors
	rootVector
	rootVectors

	nativeContent
	nativeStop
	nativeStopType

	timings
	cacheN
	promptN
	promptMS
	predictedN
	predictedMS

	progressTotal
	progressCache
	progressTime

	metrics
	metricTTFT
	metricGeneration
	metricQueue
	metricITL
	metricRate

	eventDelta
	responseModel
	responseStatus
	responseError
	responseReason
	responseInput
	responseOutput
	responseCached
	responseReasoning
	status
	incompleteReason
	outputItems
	outputType
	outputText
)

var schema = stream.NewSchema([]string{
	object:      "object",
	model:       "model",
	fingerprint: "system_fingerprint",
	kind:        "type",

	choices:                 "choices",
	choiceIndex:             "choices[].index",
	choiceText:              "choices[].text#",
	finishReason:            "choices[].finish_reason",
	deltaContent:            "choices[].delta.content#",
	deltaReasoning:          "choices[].delta.reasoning#",         // vLLM, Ollama, OpenRouter
	deltaReasoningContent:   "choices[].delta.reasoning_content#", // DeepSeek, older vLLM, llama-server
	deltaRefusal:            "choices[].delta.refusal#",
	deltaToolName:           "choices[].delta.tool_calls[].function.name#",
	deltaToolArguments:      "choices[].delta.tool_calls[].function.arguments#",
	deltaFunctionArguments:  "choices[].delta.function_call.arguments#",
	messageContent:          "choices[].message.content#",
	messageReasoning:        "choices[].message.reasoning#",
	messageReasoningContent: "choices[].message.reasoning_content#",
	messageRefusal:          "choices[].message.refusal#",
	messageToolCalls:        "choices[].message.tool_calls",

	promptTokens:          "usage.prompt_tokens",
	completionTokens:      "usage.completion_tokens",
	inputTokens:           "usage.input_tokens",
	outputTokens:          "usage.output_tokens",
	cachedTokens:          "usage.prompt_tokens_details.cached_tokens",
	cachedInputTokens:     "usage.input_tokens_details.cached_tokens",
	reasoningTokens:       "usage.completion_tokens_details.reasoning_tokens",
	reasoningOutputTokens: "usage.output_tokens_details.reasoning_tokens",
	timingPrompt:          "usage.timing_prompt_processing", // LocalAI, core/schema/openai.go: milliseconds
	timingGeneration:      "usage.timing_token_generation",

	errorAny:     "error",
	errorMessage: "error.message",
	message:      "message", // vLLM before 0.10: {"object":"error","message":...}
	detail:       "detail",  // FastAPI

	vectors:       "data",
	vector:        "data[].embedding",
	nativeVector:  "embedding",
	rootVector:    "[].embedding", // llama-server's own /embedding
	rootVectors:   "[].embedding[]",
	nativeVectors: "embedding[]",

	nativeContent:  "content#", // llama-server's own /completion
	nativeStop:     "stop",
	nativeStopType: "stop_type",

	timings:     "timings", // llama-server, tools/server: milliseconds
	cacheN:      "timings.cache_n",
	promptN:     "timings.prompt_n",
	promptMS:    "timings.prompt_ms",
	predictedN:  "timings.predicted_n",
	predictedMS: "timings.predicted_ms",

	progressTotal: "prompt_progress.total", // llama-server, return_progress
	progressCache: "prompt_progress.cache",
	progressTime:  "prompt_progress.time_ms", // since the slot took the prompt up

	metrics:          "metrics", // vLLM, --enable-per-request-metrics
	metricTTFT:       "metrics.time_to_first_token_ms",
	metricGeneration: "metrics.generation_time_ms",
	metricQueue:      "metrics.queue_time_ms",
	metricITL:        "metrics.mean_itl_ms",
	metricRate:       "metrics.tokens_per_second",

	eventDelta:        "delta#",
	responseModel:     "response.model",
	responseStatus:    "response.status",
	responseError:     "response.error.message",
	responseReason:    "response.incomplete_details.reason",
	responseInput:     "response.usage.input_tokens",
	responseOutput:    "response.usage.output_tokens",
	responseCached:    "response.usage.input_tokens_details.cached_tokens",
	responseReasoning: "response.usage.output_tokens_details.reasoning_tokens",
	status:            "status",
	incompleteReason:  "incomplete_details.reason",
	outputItems:       "output",
	outputType:        "output[].type",
	outputText:        "output[].content[].text#",
}...)
