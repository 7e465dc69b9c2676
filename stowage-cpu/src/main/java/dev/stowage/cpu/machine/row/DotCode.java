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
 */
final class DotCode {

    private static final int SUMS = 4;

    /** Vectors of a step. */
    private static final int STEP = 8;

    private static final int V = 64;

    private final Assembler code = new Assembler();
    private final RowType type;

    private DotCode(RowType type) {
        this.type = type;
    }

    static Assembler of(RowType type) {
        DotCode dot = new DotCode(type);
        dot.write();
        return dot.code;
    }

    private void write() {
        Label nextRow = new Label();
        Label steps = new Label();
        Label rest = new Label();
        Label ones = new Label();
        Label done = new Label();
        code.bind(nextRow);
        for (int i = 0; i < SUMS; i++) {
            code.vpxord(zmm(i), zmm(i), zmm(i));
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
    }

    private void add(int i) {
        type.load(code, zmm(SUMS + i), at(RAX, i * type.bytes()));
        code.vfmadd231ps(zmm(i % SUMS), zmm(SUMS + i), at(R10, i * V));
    }

    private void store() {
        code.vaddps(zmm(0), zmm(0), zmm(1));
        code.vaddps(zmm(2), zmm(2), zmm(3));
        code.vaddps(zmm(0), zmm(0), zmm(2));
        code.vextracti64x4(ymm(1), zmm(0), 1);
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
