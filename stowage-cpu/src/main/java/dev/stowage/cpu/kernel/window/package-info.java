/** The inner loops of convolution, pooling and resampling. */
package dev.stowage.cpu.kernel.window;
