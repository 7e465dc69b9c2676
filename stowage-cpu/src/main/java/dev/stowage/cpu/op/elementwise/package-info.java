/** Ops that compute an element from the elements at the same index, as few nested loops. */
package dev.stowage.cpu.op.elementwise;
