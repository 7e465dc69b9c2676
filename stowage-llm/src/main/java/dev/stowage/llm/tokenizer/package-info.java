/**
 * Text to tokens and back, as the metadata of a GGUF file says.
 *
 * <pre>
 *   text ─► special tokens cut out ─► BPE: words ─► bytes ─► pairs joined by rank  ─► ids
 *                                 └─► SentencePiece: characters ─► pairs joined by score ─┘
 * </pre>
 *
 * {@snippet class="dev.stowage.llm.SnippetTest" region="tokenize"}
 */
package dev.stowage.llm.tokenizer;
