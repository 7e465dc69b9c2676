/** Recurrent layers and hyper-connections. */
package dev.stowage.cpu.op.sequence;
