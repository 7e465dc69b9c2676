package dev.stowage.cpu.machine.row;

import static dev.stowage.cpu.machine.Address.at;
import static dev.stowage.cpu.machine.Gp.R8;
import static dev.stowage.cpu.machine.Gp.R9;
import static dev.stowage.cpu.machine.Gp.RAX;
import static dev.stowage.cpu.machine.Gp.RCX;
import static dev.stowage.cpu.machine.Gp.RDI;
import static dev.stowage.cpu.machine.Gp.RDX;
import static dev.stowage.cpu.machine.Gp.RSI;
import static dev.stowage.cpu.machine.Zmm.zmm;

import dev.stowage.cpu.machine.Assembler;
import dev.stowage.cpu.machine.Gp;
import dev.stowage.cpu.machine.Label;

/**
 * Writes the transposition of squares of 16 x 16 floats that are beside each other, to squares that are below each other, or the
 * other way around. Each vector that is read is multiplied with one vector of factors. The code is called with
 *
 * <pre>
 *   RDI   the first vector of the first square
 *   RSI   where it goes
 *   RDX   bytes from vector to vector of a square that is read
 *   RCX   bytes from vector to vector of one that is written
 *   R8    squares, at least one
 *   R9    16 factors
 * </pre>
 */
final class TransposeCode {

    private static final int SIDE = RowKernels.LANES;
    private static final int V = 64;

    /** Two lanes of 16 bytes of each operand: the even ones, and the odd ones. */
    private static final int EVEN = 0x88;

    private static final int ODD = 0xDD;

    private final Assembler code = new Assembler();

    private TransposeCode() {}

    /** Squares that are read beside each other, and written below each other. */
    static Assembler down() {
        return of(false);
    }

    /** Squares that are read below each other, and written beside each other. */
    static Assembler across() {
        return of(true);
    }

    private static Assembler of(boolean across) {
        TransposeCode transpose = new TransposeCode();
        transpose.write(across);
        return transpose.code;
    }

    private void write(boolean across) {
        Label next = new Label();
        code.bind(next);
        code.mov(RAX, RDI);
        for (int i = 0; i < SIDE; i++) {
            code.vmovups(zmm(i), at(RAX));
            code.vmulps(zmm(i), zmm(i), at(R9));
            code.add(RAX, RDX);
        }
        advance(RDI, RAX, across);
        transpose();
        code.mov(RAX, RSI);
        for (int i = 0; i < SIDE; i++) {
            code.vmovups(at(RAX), zmm(i));
            code.add(RAX, RCX);
        }
        advance(RSI, RAX, !across);
        code.dec(R8);
        code.jnz(next);
        code.vzeroupper();
        code.ret();
    }

    /** Goes on to the next square: below, where the vector after the last would be, or beside. */
    private void advance(Gp square, Gp end, boolean below) {
        if (below) {
            code.mov(square, end);
        } else {
            code.add(square, V);
        }
    }

    private void transpose() {
        for (int i = 0; i < SIDE; i += 2) {
            code.vpunpckldq(zmm(SIDE + i), zmm(i), zmm(i + 1));
            code.vpunpckhdq(zmm(SIDE + i + 1), zmm(i), zmm(i + 1));
        }
        for (int i = 0; i < SIDE; i += 4) {
            for (int half = 0; half < 2; half++) {
                code.vpunpcklqdq(zmm(i + 2 * half), zmm(SIDE + i + half), zmm(SIDE + i + half + 2));
                code.vpunpckhqdq(zmm(i + 2 * half + 1), zmm(SIDE + i + half), zmm(SIDE + i + half + 2));
            }
        }
        // Register 4g + k has, in its lane L of 16 bytes, numbers 4L + k of vectors 4g to 4g + 3.
        for (int k = 0; k < 4; k++) {
            code.vshufi32x4(zmm(SIDE + k), zmm(k), zmm(4 + k), EVEN);
            code.vshufi32x4(zmm(SIDE + 4 + k), zmm(k), zmm(4 + k), ODD);
            code.vshufi32x4(zmm(SIDE + 8 + k), zmm(8 + k), zmm(12 + k), EVEN);
            code.vshufi32x4(zmm(SIDE + 12 + k), zmm(8 + k), zmm(12 + k), ODD);
        }
        for (int k = 0; k < 4; k++) {
            code.vshufi32x4(zmm(k), zmm(SIDE + k), zmm(SIDE + 8 + k), EVEN);
            code.vshufi32x4(zmm(8 + k), zmm(SIDE + k), zmm(SIDE + 8 + k), ODD);
            code.vshufi32x4(zmm(4 + k), zmm(SIDE + 4 + k), zmm(SIDE + 12 + k), EVEN);
            code.vshufi32x4(zmm(12 + k), zmm(SIDE + 4 + k), zmm(SIDE + 12 + k), ODD);
        }
    }
}
