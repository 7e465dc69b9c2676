/**
 * Models of LangChain4j that run in this process: a chat model, one that streams, and one for embeddings, over one
 * {@link dev.stowage.langchain4j.StowageEngine} that has the weights and the memory.
 */
package dev.stowage.langchain4j;
