/** Rows of a table read and written by number. */
@NullMarked
package dev.stowage.cuda.op.row;

import org.jspecify.annotations.NullMarked;
