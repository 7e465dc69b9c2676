/** Products with weights that are stored in units, of a few tokens and of many. */
@NullMarked
package dev.stowage.cuda.op.unit;

import org.jspecify.annotations.NullMarked;
