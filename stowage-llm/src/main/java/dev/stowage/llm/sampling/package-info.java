/**
 * The choice of the next token out of the logits a model gives for all of them.
 *
 * {@snippet class="dev.stowage.llm.SnippetTest" region="sample"}
 */
package dev.stowage.llm.sampling;
