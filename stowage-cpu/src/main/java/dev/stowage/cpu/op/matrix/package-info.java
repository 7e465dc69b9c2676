/** Which tasks a product of matrices becomes: row by row, in tiles, with interleaved weights, by expert. */
package dev.stowage.cpu.op.matrix;
