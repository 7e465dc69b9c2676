/** Between floats and the other element types, in vectors. */
package dev.stowage.cpu.kernel.codec;
