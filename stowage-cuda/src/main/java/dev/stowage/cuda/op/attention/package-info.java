/** Launches of fused attention. */
@NullMarked
package dev.stowage.cuda.op.attention;

import org.jspecify.annotations.NullMarked;
