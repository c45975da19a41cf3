// Package elastic reads the search and document APIs of Elasticsearch and OpenSearch.
//
// In comes what the bodies say, value by value; out go stages.Facts. What the fields mean was read in the references of
// Elasticsearch 8 and OpenSearch 3. A search counts as one of vectors when its body says so: knn, a script that scores, a
// retriever, or one of the neural queries. It imports stages and stream.
package elastic
