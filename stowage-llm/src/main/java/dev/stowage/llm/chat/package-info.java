/**
 * Conversations as the text that a model was trained on. Files carry a template as a program in Jinja; common ones have
 * a built-in equivalent; any other is run.
 */
package dev.stowage.llm.chat;
