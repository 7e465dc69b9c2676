/** Convolution, pooling, resampling and windows. */
package dev.stowage.cpu.op.window;
