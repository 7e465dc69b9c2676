package dev.stowage.cpu.machine.row;

import static dev.stowage.cpu.machine.Address.at;
import static dev.stowage.cpu.machine.Gp.R10;
import static dev.stowage.cpu.machine.Gp.R11;
import static dev.stowage.cpu.machine.Gp.R12;
import static dev.stowage.cpu.machine.Gp.R13;
import static dev.stowage.cpu.machine.Gp.R8;
import static dev.stowage.cpu.machine.Gp.R9;
import static dev.stowage.cpu.machine.Gp.RAX;
import static dev.stowage.cpu.machine.Gp.RBX;
import static dev.stowage.cpu.machine.Gp.RCX;
import static dev.stowage.cpu.machine.Gp.RDI;
import static dev.stowage.cpu.machine.Gp.RDX;
import static dev.stowage.cpu.machine.Gp.RSI;
import static dev.stowage.cpu.machine.Zmm.zmm;

import dev.stowage.cpu.machine.Assembler;
import dev.stowage.cpu.machine.Label;

/**
 * Writes the sums of values, which are halves, by the weights of 4 rows or 1. Columns of 64 elements go one after the other, so
 * that their sums stay in registers. While values are added, those of later are fetched. The code is called with
 *
 * <pre>
 *   RDI   the first value
 *   RSI   the weights: for each value one of each row
 *   RDX   the sums: floats, a row right after the other
 *   RCX   bytes from value to value
 *   R8    values, at least one; in the upper 32 bits elements, a multiple of 64 and at least that
 *   R9    how many bytes after a value the one is that will be read later
 * </pre>
 */
final class MeanCode {

    /** Vectors of a column. */
    private static final int WIDE = 4;

    private static final int V = 64;
    private static final int HALVES = 32;
    private static final int VALUE = 16;
    private static final int WEIGHT = 20;

    private final Assembler code = new Assembler();
    private final int rows;

    private MeanCode(int rows) {
        this.rows = rows;
    }

    static Assembler of(int rows) {
        MeanCode mean = new MeanCode(rows);
        mean.write();
        return mean.code;
    }

    private void write() {
        Label nextColumn = new Label();
        Label next = new Label();
        code.push(RBX);
        code.push(R12);
        code.push(R13);
        // RBX: elements left. R12: bytes of a row of sums.
        code.mov(RBX, R8);
        code.shr(RBX, 32);
        code.shl(R8, 32);
        code.shr(R8, 32);
        code.mov(R12, RBX);
        code.shl(R12, 2);
        code.bind(nextColumn);
        code.mov(R13, RDX);
        for (int row = 0; row < rows; row++) {
            for (int i = 0; i < WIDE; i++) {
                code.vmovups(zmm(row * WIDE + i), at(R13, i * V));
            }
            code.add(R13, R12);
        }
        code.mov(RAX, RDI);
        code.mov(R10, RSI);
        code.mov(R11, R8);
        code.bind(next);
        code.prefetcht0(at(RAX, R9, 1, 0));
        code.prefetcht0(at(RAX, R9, 1, V));
        for (int i = 0; i < WIDE; i++) {
            code.vcvtph2ps(zmm(VALUE + i), at(RAX, i * HALVES));
        }
        for (int row = 0; row < rows; row++) {
            code.vpbroadcastd(zmm(WEIGHT + row), at(R10, row * Float.BYTES));
            for (int i = 0; i < WIDE; i++) {
                code.vfmadd231ps(zmm(row * WIDE + i), zmm(VALUE + i), zmm(WEIGHT + row));
            }
        }
        code.add(RAX, RCX);
        code.add(R10, rows * Float.BYTES);
        code.dec(R11);
        code.jnz(next);
        code.mov(R13, RDX);
        for (int row = 0; row < rows; row++) {
            for (int i = 0; i < WIDE; i++) {
                code.vmovups(at(R13, i * V), zmm(row * WIDE + i));
            }
            code.add(R13, R12);
        }
        code.add(RDI, WIDE * HALVES);
        code.add(RDX, WIDE * V);
        code.sub(RBX, WIDE * RowKernels.LANES);
        code.jnz(nextColumn);
        code.pop(R13);
        code.pop(R12);
        code.pop(RBX);
        code.vzeroupper();
        code.ret();
    }
}
