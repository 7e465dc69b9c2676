/** Ops that compute an element from the elements at the same index. */
@NullMarked
package dev.stowage.cuda.op.elementwise;

import org.jspecify.annotations.NullMarked;
