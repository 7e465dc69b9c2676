/** Reference kernels that compute an element from the elements at the same index. */
package dev.stowage.reference.kernel.elementwise;
