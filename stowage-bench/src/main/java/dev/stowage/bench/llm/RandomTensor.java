package dev.stowage.bench.llm;

import dev.stowage.gguf.TensorSpec;

/**
 * A tensor of a model that is to be made.
 *
 * @param spec what it would be in a file that is not quantised
 * @param filling what goes into it
 */
record RandomTensor(TensorSpec spec, WeightInitializer filling) {}
