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

import dev.stowage.cpu.machine.Assembler;
import dev.stowage.cpu.machine.Label;
import dev.stowage.cpu.machine.VectorRegister;
import dev.stowage.cpu.machine.Ymm;
import dev.stowage.cpu.machine.Zmm;
import java.util.function.IntFunction;

/**
 * Writes the sums of values, which are halves, by the weights of 4 rows or 1. Columns of a few registers go one after the other, so
 * that their sums stay there. While values are added, those of later are fetched. The code is called with
 *
 * <pre>
 *   RDI   the first value
 *   RSI   the weights: for each value one of each row
 *   RDX   the sums: floats, a row right after the other
 *   RCX   bytes from value to value
 *   R8    values, at least one; in the upper 32 bits elements, a multiple of 64 and at least that
 *   R9    how many bytes after a value the one is that will be read later
 *
 *                512 bits    256 bits
 *   sums         0..15       0..7
 *   weights      16..19      8..11
 *   values       20..23      12..15
 * </pre>
 *
 * @param <V> the registers
 */
final class MeanCode<V extends VectorRegister<V>> {

    private static final int LINE = 64;

    /** Registers that values are loaded into, one after the other. */
    private static final int LOADED = 4;

    private final Assembler code = new Assembler();
    private final int rows;
    private final IntFunction<V> registers;

    /** Registers of a row of a column. */
    private final int wide;

    private final int firstWeight;
    private final int firstValue;

    private MeanCode(int rows, IntFunction<V> registers, int wide, int firstWeight, int firstValue) {
        this.rows = rows;
        this.registers = registers;
        this.wide = wide;
        this.firstWeight = firstWeight;
        this.firstValue = firstValue;
    }

    static Assembler of(RowLevel level, int rows) {
        return switch (level) {
            case AVX512 -> new MeanCode<>(rows, Zmm::zmm, 4, 16, 20).write();
            case AVX2 -> new MeanCode<>(rows, Ymm::ymm, 8 / rows, 8, 12).write();
        };
    }

    private V register(int number) {
        return registers.apply(number);
    }

    /** Bytes of a register. */
    private int bytes() {
        return register(0).bytes();
    }

    private Assembler write() {
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
            for (int i = 0; i < wide; i++) {
                code.vmovups(register(row * wide + i), at(R13, i * bytes()));
            }
            code.add(R13, R12);
        }
        code.mov(RAX, RDI);
        code.mov(R10, RSI);
        code.mov(R11, R8);
        code.bind(next);
        addValue();
        code.add(RAX, RCX);
        code.add(R10, rows * Float.BYTES);
        code.dec(R11);
        code.jnz(next);
        code.mov(R13, RDX);
        for (int row = 0; row < rows; row++) {
            for (int i = 0; i < wide; i++) {
                code.vmovups(at(R13, i * bytes()), register(row * wide + i));
            }
            code.add(R13, R12);
        }
        code.add(RDI, wide * bytes() / 2);
        code.add(RDX, wide * bytes());
        code.sub(RBX, wide * bytes() / Float.BYTES);
        code.jnz(nextColumn);
        code.pop(R13);
        code.pop(R12);
        code.pop(RBX);
        code.vzeroupper();
        code.ret();
        return code;
    }

    private void addValue() {
        for (int at = 0; at < wide * bytes() / 2; at += LINE) {
            code.prefetcht0(at(RAX, R9, 1, at));
        }
        for (int row = 0; row < rows; row++) {
            code.vpbroadcastd(register(firstWeight + row), at(R10, row * Float.BYTES));
        }
        for (int i = 0; i < wide; i++) {
            V value = register(firstValue + i % LOADED);
            code.vcvtph2ps(value, at(RAX, i * bytes() / 2));
            for (int row = 0; row < rows; row++) {
                code.vfmadd231ps(register(row * wide + i), value, register(firstWeight + row));
            }
        }
    }
}
