/** Reference kernels that copy or generate elements: copies, regions, rows by index, ranges. */
package dev.stowage.reference.kernel.copy;
