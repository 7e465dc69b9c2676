/** The inner loops of attention and of rotary positions. */
package dev.stowage.cpu.kernel.attention;
