package dev.stowage.cpu.machine.matrix;

import dev.stowage.cpu.machine.Address;
import java.util.List;

/**
 * Writes the operations on matrices in registers, which are numbered. There is one implementation that writes the instructions
 * of {@linkplain AmxUnit AMX}, and one of the tests that writes others which do the same in memory, for processors without AMX.
 * Where an address is that of a matrix, its index is the distance from row to row.
 */
public interface MatrixUnit {

    /** How much of a register is used: up to 16 rows of up to 64 bytes. */
    record Shape(int rows, int rowBytes) {}

    /**
     * Begins the use of registers.
     *
     * @param shapes those of the registers from 0 on
     * @param scratch 64 bytes of memory
     */
    void configure(List<Shape> shapes, Address scratch);

    void zero(int to);

    void load(int to, Address from);

    void store(Address to, int from);

    /** Adds to numbers of 32 bits the products of signed bytes of a and unsigned bytes of b. */
    void multiply(int to, int a, int b);

    /** Adds to floats the products of pairs of bf16 of a and b. */
    void multiplyPairs(int to, int a, int b);

    /** Ends the use of registers. */
    void release();
}
