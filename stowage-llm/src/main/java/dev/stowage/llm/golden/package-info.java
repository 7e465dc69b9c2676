/**
 * Recorded answers of another implementation for models, and the comparison of a model with them. For the golden tests and
 * the {@code conformance model} command; not exported as an API.
 */
package dev.stowage.llm.golden;
