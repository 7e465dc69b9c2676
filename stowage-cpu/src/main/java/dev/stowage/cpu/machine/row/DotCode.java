package dev.stowage.cpu.machine.row;

import static dev.stowage.cpu.machine.Address.at;
import static dev.stowage.cpu.machine.Gp.R10;
import static dev.stowage.cpu.machine.Gp.R11;
import static dev.stowage.cpu.machine.Gp.R8;
import static dev.stowage.cpu.machine.Gp.R9;
import static dev.stowage.cpu.machine.Gp.RAX;
import static dev.stowage.cpu.machine.Gp.RCX;
import static dev.stowage.cpu.machine.Gp.RDI;
import static dev.stowage.cpu.machine.Gp.RDX;
import static dev.stowage.cpu.machine.Gp.RSI;
import static dev.stowage.cpu.machine.Xmm.xmm;
import static dev.stowage.cpu.machine.Ymm.ymm;
import static dev.stowage.cpu.machine.Zmm.zmm;

import dev.stowage.cpu.machine.Assembler;
import dev.stowage.cpu.machine.Label;
import dev.stowage.cpu.machine.VectorRegister;
import dev.stowage.cpu.machine.Ymm;
import dev.stowage.cpu.machine.Zmm;
import java.util.function.IntFunction;

/**
 * Writes the products of some rows with one column. Rows are read one after the other, as a single stream, which
 * the processor reads ahead by itself: memory is the limit. The code is called with
 *
 * <pre>
 *   RDI   the first row
 *   RSI   the column: floats
 *   RDX   where the results go, a float for each row
 *   RCX   bytes from row to row
 *   R8    rows, at least one
 *   R9    elements, a multiple of 16 and at least that
 * </pre>
 *
 * A vector of 16 elements is one register or two; sums are added in the same order either way.
 *
 * @param <V> the registers
 */
final class DotCode<V extends VectorRegister<V>> {

    private static final int SUMS = 4;

    /** Vectors of a step. */
    private static final int STEP = 8;

    private static final int V = 64;

    /** Registers for elements that are loaded. */
    private static final int LOADED = 8;

    private final Assembler code = new Assembler();
    private final RowType type;
    private final IntFunction<V> registers;

    /** Registers of a vector. */
    private final int each;

    private DotCode(RowType type, IntFunction<V> registers) {
        this.type = type;
        this.registers = registers;
        this.each = V / registers.apply(0).bytes();
    }

    static Assembler of(RowLevel level, RowType type) {
        return switch (level) {
            case AVX512 -> new DotCode<>(type, Zmm::zmm).write();
            case AVX2 -> new DotCode<>(type, Ymm::ymm).write();
        };
    }

    private V sum(int index) {
        return registers.apply(index);
    }

    private Assembler write() {
        Label nextRow = new Label();
        Label steps = new Label();
        Label rest = new Label();
        Label ones = new Label();
        Label done = new Label();
        code.bind(nextRow);
        for (int i = 0; i < SUMS * each; i++) {
            code.vxorps(sum(i), sum(i), sum(i));
        }
        code.mov(RAX, RDI);
        code.mov(R10, RSI);
        code.mov(R11, R9);
        code.cmp(R11, STEP * RowKernels.LANES);
        code.jb(rest);
        code.bind(steps);
        for (int i = 0; i < STEP; i++) {
            add(i);
        }
        code.add(RAX, STEP * type.bytes());
        code.add(R10, STEP * V);
        code.sub(R11, STEP * RowKernels.LANES);
        code.cmp(R11, STEP * RowKernels.LANES);
        code.jae(steps);
        code.bind(rest);
        code.test(R11, R11);
        code.jz(done);
        code.bind(ones);
        add(0);
        code.add(RAX, type.bytes());
        code.add(R10, V);
        code.sub(R11, RowKernels.LANES);
        code.jnz(ones);
        code.bind(done);
        store();
        code.add(RDI, RCX);
        code.add(RDX, Float.BYTES);
        code.dec(R8);
        code.jnz(nextRow);
        code.vzeroupper();
        code.ret();
        return code;
    }

    private void add(int i) {
        for (int part = 0; part < each; part++) {
            V loaded = registers.apply(SUMS * each + (i * each + part) % LOADED);
            type.load(code, loaded, at(RAX, i * type.bytes() + part * type.bytes() / each));
            code.vfmadd231ps(sum(i % SUMS * each + part), loaded, at(R10, i * V + part * V / each));
        }
    }

    private void store() {
        for (int part = 0; part < each; part++) {
            code.vaddps(sum(part), sum(part), sum(each + part));
            code.vaddps(sum(2 * each + part), sum(2 * each + part), sum(3 * each + part));
            code.vaddps(sum(part), sum(part), sum(2 * each + part));
        }
        if (each == 1) {
            code.vextracti64x4(ymm(1), zmm(0), 1);
        }
        code.vaddps(ymm(0), ymm(0), ymm(1));
        code.vextracti128(xmm(1), ymm(0), 1);
        code.vaddps(xmm(0), xmm(0), xmm(1));
        code.vpshufd(xmm(1), xmm(0), 0x4E);
        code.vaddps(xmm(0), xmm(0), xmm(1));
        code.vpshufd(xmm(1), xmm(0), 0xB1);
        code.vaddps(xmm(0), xmm(0), xmm(1));
        code.vmovd(at(RDX), xmm(0));
    }
}
