/**
 * Text to tokens and back, as the metadata of a GGUF file says.
 *
 * <pre>
 *   text ─► special tokens cut out ─► BPE: words ─► bytes ─► pairs joined by rank  ─► ids
 *                                 └─► SentencePiece: characters ─► pairs joined by score ─┘
 * </pre>
 *
 * {@snippet :
 * Tokenizer tokenizer = Tokenizer.of(file.metadata());
 * int[] prompt = tokenizer.encode("harbor, n.", EncodeOptions.PROMPT);
 * TokenStream text = tokenizer.stream();
 * System.out.print(text.next(token)); // whole characters only
 * }
 */
package dev.stowage.llm.tokenizer;
