/** Reference kernels with sliding windows: convolution, pooling, resampling, padding. */
package dev.stowage.reference.kernel.window;
