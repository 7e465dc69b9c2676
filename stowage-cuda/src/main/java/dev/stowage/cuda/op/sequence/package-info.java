/** Layers that carry a state from token to token, hyper-connections, and triangular systems. */
@NullMarked
package dev.stowage.cuda.op.sequence;

import org.jspecify.annotations.NullMarked;
