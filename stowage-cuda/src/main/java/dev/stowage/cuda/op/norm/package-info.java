/** Rows normalised, and softmax. */
@NullMarked
package dev.stowage.cuda.op.norm;

import org.jspecify.annotations.NullMarked;
