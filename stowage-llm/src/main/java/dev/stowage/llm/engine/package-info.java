/**
 * Many requests at once over one model: a queue, slots that share one cache, and one pass through the model for all of
 * them ({@link dev.stowage.llm.engine.Engine}).
 */
package dev.stowage.llm.engine;
