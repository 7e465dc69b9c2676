package dev.stowage.cpu.machine;

import static dev.stowage.cpu.machine.Opcode.MAP_0F38;
import static dev.stowage.cpu.machine.Opcode.NONE;
import static dev.stowage.cpu.machine.Opcode.P66;
import static dev.stowage.cpu.machine.Opcode.PF2;
import static dev.stowage.cpu.machine.Opcode.PF3;

import dev.stowage.cpu.machine.Encoder.Operands;

/**
 * The instructions of the {@link Assembler} for matrices in registers, which are AMX. Where an address is that of a matrix, its
 * index times its scale is the distance from row to row.
 */
public abstract sealed class MatrixAssembler extends ScalarAssembler permits ArithmeticAssembler {

    private static final int CONFIGURE = 0x49;
    private static final int MOVE = 0x4B;
    private static final int MULTIPLY = 0x5E;

    /** Fills the place of an operand that there is none for. */
    private static final int UNUSED = 0;

    /** Sets how many rows and bytes registers have, from 64 bytes of memory; all become 0. */
    public final void ldtilecfg(Address from) {
        write(NONE, CONFIGURE, UNUSED, UNUSED, from);
    }

    /** Stores what {@link #ldtilecfg} loads. */
    public final void sttilecfg(Address to) {
        write(P66, CONFIGURE, UNUSED, UNUSED, to);
    }

    /** Ends the use of matrices: what the system keeps for the thread becomes small again. */
    public final void tilerelease() {
        write(NONE, CONFIGURE, UNUSED, UNUSED, new Xmm(0));
    }

    public final void tilezero(Tmm to) {
        write(PF2, CONFIGURE, to.number(), UNUSED, new Xmm(0));
    }

    public final void tileloadd(Tmm to, Address from) {
        write(PF2, MOVE, to.number(), UNUSED, withRows(from));
    }

    /** As tileloadd, of memory that will not be read again soon. */
    public final void tileloaddt1(Tmm to, Address from) {
        write(P66, MOVE, to.number(), UNUSED, withRows(from));
    }

    public final void tilestored(Address to, Tmm from) {
        write(PF3, MOVE, from.number(), UNUSED, withRows(to));
    }

    /**
     * Adds to number (m, n), of 32 bits, the products of the bytes of a's row m and those of b's column n, which has four
     * neighbours in every row of b. The bytes of both are signed.
     */
    public final void tdpbssd(Tmm to, Tmm a, Tmm b) {
        multiply(PF2, MULTIPLY, to, a, b);
    }

    /** As tdpbssd, of signed bytes of a and unsigned bytes of b. */
    public final void tdpbsud(Tmm to, Tmm a, Tmm b) {
        multiply(PF3, MULTIPLY, to, a, b);
    }

    /** As tdpbssd, of unsigned bytes of a and signed bytes of b. */
    public final void tdpbusd(Tmm to, Tmm a, Tmm b) {
        multiply(P66, MULTIPLY, to, a, b);
    }

    /** As tdpbssd, of unsigned bytes. */
    public final void tdpbuud(Tmm to, Tmm a, Tmm b) {
        multiply(NONE, MULTIPLY, to, a, b);
    }

    /** As tdpbssd, of pairs of bf16, and with sums that are floats. */
    public final void tdpbf16ps(Tmm to, Tmm a, Tmm b) {
        multiply(PF3, 0x5C, to, a, b);
    }

    private void multiply(int prefix, int code, Tmm to, Tmm a, Tmm b) {
        if (to.equals(a) || to.equals(b) || a.equals(b)) {
            throw new IllegalArgumentException("the three matrices must differ: " + to + ", " + a + ", " + b);
        }
        write(prefix, code, to.number(), b.number(), new Xmm(a.number()));
    }

    private static Address withRows(Address address) {
        if (address.index() == null) {
            throw new IllegalArgumentException("an index must say how far apart the rows of a matrix are: " + address);
        }
        return address;
    }

    private void write(int prefix, int code, int register, int second, Operand last) {
        encoder.vector(Opcode.of(MAP_0F38, prefix, code).vex(), new Operands(16, register, second, last));
    }
}
