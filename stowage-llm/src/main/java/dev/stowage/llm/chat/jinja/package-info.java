/**
 * An interpreter for the part of Jinja that chat templates use, with the behaviour of Jinja2 as Hugging Face sets it up:
 * {@code trim_blocks} and {@code lstrip_blocks} on, loop controls, no autoescape. A template is untrusted input: it
 * cannot reach anything but the values that it is given, and steps, lengths and nesting are limited.
 */
package dev.stowage.llm.chat.jinja;
