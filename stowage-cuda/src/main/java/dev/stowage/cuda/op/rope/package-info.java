/** Positions: rotary and relative ones. */
@NullMarked
package dev.stowage.cuda.op.rope;

import org.jspecify.annotations.NullMarked;
