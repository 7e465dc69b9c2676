/** Ops that copy or generate elements: copies, casts, regions, repetitions, ranges. */
@NullMarked
package dev.stowage.cuda.op.copy;

import org.jspecify.annotations.NullMarked;
