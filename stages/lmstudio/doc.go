// Package lmstudio reads LM Studio's own APIs: /api/v0/*, which are OpenAI's with stats, and /api/v1/chat with its named
// events. Its /v1/* are OpenAI's and have no stats.
//
// In comes what the bodies say, value by value; out go stages.Facts. What the fields mean was read in LM Studio's
// documentation (1_developer/2_rest: endpoints, chat, streaming-events), c6854fb. It imports stages and stream.
package lmstudio
