/** Sums, means, counts, and the place of the largest. */
@NullMarked
package dev.stowage.cuda.op.reduction;

import org.jspecify.annotations.NullMarked;
