/**
 * Machine code written at run time: an {@linkplain dev.stowage.cpu.machine.Assembler assembler} with a method per
 * instruction, memory that is executable and never writable at the same time, and what the processor says of itself.
 * For x86-64 on Linux. It knows nothing of tensors and can be used for any code.
 */
package dev.stowage.cpu.machine;
