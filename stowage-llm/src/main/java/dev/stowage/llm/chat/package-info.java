/**
 * Conversations as the text that a model was trained on. Files carry a template as a program in Jinja; the common
 * ones are recognised by what only they have, and written here by hand; any other is run.
 */
package dev.stowage.llm.chat;
