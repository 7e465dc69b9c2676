/** Memory of GPUs, pinned host memory, and weights in rearranged layouts. */
@NullMarked
package dev.stowage.cuda.memory;

import org.jspecify.annotations.NullMarked;
