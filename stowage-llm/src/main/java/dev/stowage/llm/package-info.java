/** Language models to be used: open one, generate text, or run tokens through it and look at the logits. */
package dev.stowage.llm;
