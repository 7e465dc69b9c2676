/** The inner loops of recurrent layers and hyper-connections. */
package dev.stowage.cpu.kernel.sequence;
