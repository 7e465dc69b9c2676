/** Weights of matrix products in units, as the kernels for few tokens read them. */
@NullMarked
package dev.stowage.cuda.memory.unit;

import org.jspecify.annotations.NullMarked;
