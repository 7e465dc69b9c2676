/** Normalisation, softmax and causal masks, and the fusions of norms. */
package dev.stowage.cpu.op.norm;
