package recognise

import "github.com/ragtrace/ragtrace/stages/stream"

// Where request bodies say something, over all APIs. What one API alone says stands with its name.
const (
	reqModel = iota
	reqStream
	reqNumCtx
	reqKeepAlive
	reqNumPredict
	reqMaxTokens
	reqMaxCompletionTokens
	reqMaxOutputTokens
	reqNPredict
	reqMaxNewTokens
	reqTemperature
	reqOptTemperature
	reqTopP
	reqOptTopP
	reqDecodeTopK
	reqSeed
	reqOptSeed
	reqInput
	reqInputElem
	reqContent
	reqInputs
	reqInputsElem
	reqMessages
	reqPrompt
	reqText
	reqSamplingParams
	reqSamplingNewTokens
	reqQuery
	reqQueryText
	reqVector
	reqQueryEmbeddings
	reqQueryTexts
	reqData
	reqDocuments
	reqTexts
	reqText1
	reqText2
	reqTopN
	reqTopK
	reqLimit
	reqNResults
	reqK
	reqSize
	reqKNN
	reqKNNK
	reqQueryKNN
	reqScriptScore
	reqRetriever
	reqSubSearches
	reqNeural
	reqReasoning
	reqReasoningEffort
	reqThink
	reqCollectionName
	reqAnnsField
	reqSearches
	reqClass
	reqObjectsClass
	reqMustKNN
	reqShouldKNN
	reqNestedKNN
	reqStandardRetriever
	reqHybrid
	reqNeuralSparse
	reqSparseVector
	reqSemantic
)

var requestSchema = stream.NewSchema([]string{
	reqModel:               "model",
	reqStream:              "stream",
	reqNumCtx:              "options.num_ctx",
	reqKeepAlive:           "keep_alive",
	reqNumPredict:          "options.num_predict",
	reqMaxTokens:           "max_tokens",
	reqMaxCompletionTokens: "max_completion_tokens",
	reqMaxOutputTokens:     "max_output_tokens",
	reqNPredict:            "n_predict",
	reqMaxNewTokens:        "parameters.max_new_tokens",
	reqTemperature:         "temperature",
	reqOptTemperature:      "options.temperature",
	reqTopP:                "top_p",
	reqOptTopP:             "options.top_p",
	reqDecodeTopK:          "options.top_k",
	reqSeed:                "seed",
	reqOptSeed:             "options.seed",
	reqInput:               "input#",
	reqInputElem:           "input[]#",
	reqContent:             "content#", // llama-server's own /embedding
	reqInputs:              "inputs#",
	reqInputsElem:          "inputs[]#",
	reqMessages:            "messages",
	reqPrompt:              "prompt#",
	reqText:                "text#", // SGLang's own /generate
	reqSamplingParams:      "sampling_params",
	reqSamplingNewTokens:   "sampling_params.max_new_tokens",
	reqQuery:               "query~", // kept for the moment, to see what a GraphQL text asks for
	reqQueryText:           "queries#",
	reqVector:              "vector#",
	reqQueryEmbeddings:     "query_embeddings#",
	reqQueryTexts:          "query_texts#",
	reqData:                "data#",
	reqDocuments:           "documents#",
	reqTexts:               "texts#",
	reqText1:               "text_1#",
	reqText2:               "text_2#",
	reqTopN:                "top_n",
	reqTopK:                "top_k",
	reqLimit:               "limit",
	reqNResults:            "n_results",
	reqK:                   "k",
	reqSize:                "size",
	reqKNN:                 "knn#",
	reqKNNK:                "knn.k",
	reqQueryKNN:            "query.knn#",
	reqScriptScore:         "query.script_score#",
	reqRetriever:           "retriever#",
	reqSubSearches:         "sub_searches#",
	reqNeural:              "query.neural#",
	reqReasoning:           "reasoning.effort",
	reqReasoningEffort:     "reasoning_effort",
	reqThink:               "think",
	reqCollectionName:      "collectionName",
	reqAnnsField:           "annsField",
	reqSearches:            "searches#",
	reqClass:               "class",
	reqObjectsClass:        "objects[].class",
	reqMustKNN:             "query.bool.must[].knn#",
	reqShouldKNN:           "query.bool.should[].knn#",
	reqNestedKNN:           "query.nested.query.knn#",
	reqStandardRetriever:   "retriever.standard#",
	reqHybrid:              "query.hybrid#",
	reqNeuralSparse:        "query.neural_sparse#",
	reqSparseVector:        "query.sparse_vector#",
	reqSemantic:            "query.semantic#",
}...)

// extraNames are the paths whose presence alone says something.
var extraNames = map[int]string{
	reqVector: "vector", reqQueryEmbeddings: "query_embeddings", reqQueryTexts: "query_texts", reqData: "data",
	reqTexts: "texts", reqDocuments: "documents", reqText1: "text_1", reqText2: "text_2", reqQueryText: "queries",
	reqKNN: "knn", reqQueryKNN: "query.knn", reqScriptScore: "query.script_score", reqRetriever: "retriever",
	reqSubSearches: "sub_searches", reqNeural: "query.neural", reqAnnsField: "annsField", reqSearches: "searches",
	reqSamplingParams: "sampling_params",
	reqMustKNN:        "query.knn", reqShouldKNN: "query.knn", reqNestedKNN: "query.knn", reqHybrid: "query.hybrid",
	reqStandardRetriever: "retriever.standard",
	reqNeuralSparse:      "query.neural_sparse", reqSparseVector: "query.sparse_vector", reqSemantic: "query.semantic",
}
