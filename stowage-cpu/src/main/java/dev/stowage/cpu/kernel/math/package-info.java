/** Functions of one or two floats, applied to arrays of them. */
package dev.stowage.cpu.kernel.math;
