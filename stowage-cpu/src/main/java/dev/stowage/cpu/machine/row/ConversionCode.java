package dev.stowage.cpu.machine.row;

import static dev.stowage.cpu.machine.Address.at;
import static dev.stowage.cpu.machine.Gp.R10;
import static dev.stowage.cpu.machine.Gp.R11;
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
 * Writes the conversion of rows to floats, or of floats to halves. The code is called with
 *
 * <pre>
 *   RDI   the first row
 *   RSI   where it goes
 *   RDX   bytes from row to row
 *   RCX   bytes from where a row goes to where the next one does
 *   R8    rows, at least one; in the upper 32 bits elements, a multiple of 16 and at least that
 *   R9    how many bytes after what is read there is what will be read next, which is asked for
 * </pre>
 */
final class ConversionCode {

    private static final int V = 64;

    private static final int HALVES = 32;

    private final Assembler code = new Assembler();

    private ConversionCode() {}

    static Assembler toFloats(RowType type) {
        ConversionCode conversion = new ConversionCode();
        conversion.write(type.bytes(), V, () -> {
            type.load(conversion.code, zmm(0), at(RAX));
            conversion.code.vmovups(at(R10), zmm(0));
        });
        return conversion.code;
    }

    static Assembler toHalves() {
        ConversionCode conversion = new ConversionCode();
        conversion.write(V, HALVES, () -> {
            conversion.code.vmovups(zmm(0), at(RAX));
            conversion.code.vcvtps2ph(at(R10), zmm(0));
        });
        return conversion.code;
    }

    private void write(int fromBytes, int toBytes, Runnable convert) {
        Label nextRow = new Label();
        Label next = new Label();
        code.push(RBX);
        code.mov(RBX, R8);
        code.shr(RBX, 32);
        code.shl(R8, 32);
        code.shr(R8, 32);
        code.bind(nextRow);
        code.mov(RAX, RDI);
        code.mov(R10, RSI);
        code.mov(R11, RBX);
        code.bind(next);
        code.prefetcht0(at(RAX, R9, 1, 0));
        convert.run();
        code.add(RAX, fromBytes);
        code.add(R10, toBytes);
        code.sub(R11, RowKernels.LANES);
        code.jnz(next);
        code.add(RDI, RDX);
        code.add(RSI, RCX);
        code.dec(R8);
        code.jnz(nextRow);
        code.pop(RBX);
        code.vzeroupper();
        code.ret();
    }
}
