/** Reference kernels that normalise rows or reduce them: norms, sums, means, sorting. */
package dev.stowage.reference.kernel.norm;
