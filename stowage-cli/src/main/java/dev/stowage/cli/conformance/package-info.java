/** {@code stowage conformance}: comparisons with recorded results of ggml and llama.cpp, and the conformance suite of backends. */
package dev.stowage.cli.conformance;
