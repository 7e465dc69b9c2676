/** Operands and results as dense rows of floats, whatever their types and strides. */
package dev.stowage.cpu.op.operand;
