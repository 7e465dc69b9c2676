/** Which launches a node becomes. */
@NullMarked
package dev.stowage.cuda.op;

import org.jspecify.annotations.NullMarked;
