/** Reference kernels of recurrent layers and hyper-connections. */
package dev.stowage.reference.kernel.sequence;
