/** Reductions of rows, and sorting. */
package dev.stowage.cpu.op.reduction;
