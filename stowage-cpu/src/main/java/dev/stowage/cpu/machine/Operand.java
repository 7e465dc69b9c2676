package dev.stowage.cpu.machine;

/** The last operand of a vector instruction: a register, or memory. */
public sealed interface Operand permits VectorRegister, Address {}
