/**
 * Machine code for rows of floats, halves and bf16: their products with a column, and conversions. The twins of these kernels
 * are in {@code dev.stowage.cpu.kernel.product} and {@code dev.stowage.cpu.kernel.codec}.
 */
package dev.stowage.cpu.machine.row;
