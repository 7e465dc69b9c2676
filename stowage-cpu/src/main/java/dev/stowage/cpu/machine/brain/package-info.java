/**
 * Machine code for products of weights of bf16 and many columns: pairs of elements are multiplied as they are stored. The twins of
 * these kernels are in {@code dev.stowage.cpu.kernel.product}, which decode the weights to floats first.
 */
package dev.stowage.cpu.machine.brain;
