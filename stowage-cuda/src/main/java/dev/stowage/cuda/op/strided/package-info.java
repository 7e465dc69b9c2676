/** What the families of ops on strided tensors share: grids, alignment, copies and arithmetic of two operands. */
@NullMarked
package dev.stowage.cuda.op.strided;

import org.jspecify.annotations.NullMarked;
