/** Reference kernels of matrix products, triangular systems and diagonals. */
package dev.stowage.reference.kernel.matrix;
