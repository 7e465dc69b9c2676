/** Ops with sliding windows, and images resized, padded or cut up. */
@NullMarked
package dev.stowage.cuda.op.window;

import org.jspecify.annotations.NullMarked;
