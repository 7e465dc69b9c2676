/**
 * Models of random weights, and llama.cpp itself to run them: {@code stowage bench make-model} makes a GGUF file by a
 * recipe, {@link dev.stowage.bench.llm.LlamaCppBench} says how fast llama.cpp is on it, and
 * {@link dev.stowage.bench.llm.LlamaCppGolden} writes down what it computes.
 *
 * <pre>
 *   ModelRecipe ──► RecipeMetadata ┐
 *   one by name     RecipeTensors  ┴─► RandomModelWriter ──► a GGUF file ──► LlamaModel ──► LlamaContext
 * </pre>
 */
package dev.stowage.bench.llm;
