package dev.stowage.gguf.quantize;

import dev.stowage.gguf.GgufTensor;
import dev.stowage.tensor.ElementType;

/** Some elements of a tensor, from {@code first} on, and what they are to become. */
record Piece(GgufTensor tensor, ElementType type, long first) {}
