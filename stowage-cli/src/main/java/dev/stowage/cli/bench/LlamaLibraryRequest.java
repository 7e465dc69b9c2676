package dev.stowage.cli.bench;

import java.nio.file.Path;

/**
 * What is to be measured through llama.cpp's library. Keys and values are f16.
 *
 * @param folder the folder that holds the library
 * @param model the file
 * @param prompt how many tokens are read; 0 where tokens are generated
 * @param generated how many tokens are generated one by one; 0 where a prompt is read
 * @param threads with how many threads
 * @param repetitions how often
 * @param batch how many tokens go through the model at once, at most
 * @param flash whether attention is one fused op
 */
public record LlamaLibraryRequest(
        Path folder, Path model, int prompt, int generated, int threads, int repetitions, int batch, boolean flash) {}
