/** The inner loops of norms, softmax and reductions of a row. */
package dev.stowage.cpu.kernel.norm;
