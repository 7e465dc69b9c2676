/** Ops that copy, convert, pad or generate elements, and rows read and written by index. */
package dev.stowage.cpu.op.copy;
