/** The operations on matrices in registers that kernels of several kinds are written with. */
package dev.stowage.cpu.machine.matrix;
