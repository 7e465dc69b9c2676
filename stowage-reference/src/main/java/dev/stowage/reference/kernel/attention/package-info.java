/** Reference kernels of attention, softmax and positions. */
package dev.stowage.reference.kernel.attention;
