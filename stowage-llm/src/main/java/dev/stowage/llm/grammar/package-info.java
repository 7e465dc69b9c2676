/**
 * Grammars that the text of a model conforms to: JSON, JSON schemas and GBNF, compiled to an automaton over bytes, and the
 * tokens of a vocabulary that may come next by it.
 */
package dev.stowage.llm.grammar;
