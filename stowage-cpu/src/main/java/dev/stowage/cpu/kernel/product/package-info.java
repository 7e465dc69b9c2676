/** The inner loops of matrix products. */
package dev.stowage.cpu.kernel.product;
