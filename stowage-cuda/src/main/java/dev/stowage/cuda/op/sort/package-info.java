/** Places in sorted order. */
@NullMarked
package dev.stowage.cuda.op.sort;

import org.jspecify.annotations.NullMarked;
