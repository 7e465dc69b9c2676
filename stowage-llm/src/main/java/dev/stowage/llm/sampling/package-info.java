/**
 * The choice of the next token out of the logits a model gives for all of them.
 *
 * {@snippet :
 * Sampler sampler = new Sampler(SamplingOptions.defaults().withTemperature(0.8f).withSeed(42), vocabularySize);
 * prompt.forEach(sampler::accept); // for the repetition penalty
 * int token = sampler.next(logits);
 * }
 */
package dev.stowage.llm.sampling;
