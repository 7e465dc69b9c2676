/**
 * Machine code for products of quantised weights and columns rounded to eight bits: how weights and columns are laid out, the
 * generators of the code, and the kernels made of it. The twins of these kernels are in {@code dev.stowage.cpu.kernel.product}.
 */
package dev.stowage.cpu.machine.tile;
