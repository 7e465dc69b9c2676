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
import static dev.stowage.cpu.machine.Ymm.ymm;
import static dev.stowage.cpu.machine.Zmm.zmm;

import dev.stowage.cpu.machine.Address;
import dev.stowage.cpu.machine.Assembler;
import dev.stowage.cpu.machine.Label;
import dev.stowage.cpu.machine.VectorRegister;
import java.util.List;

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
 *
 * @param <V> the registers
 */
final class ConversionCode<V extends VectorRegister<V>> {

    private static final int V = 64;

    private static final int HALVES = 32;

    private final Assembler code = new Assembler();

    private final List<V> registers;

    /** With registers for 16 elements. */
    private ConversionCode(List<V> registers) {
        this.registers = registers;
    }

    static Assembler toFloats(RowLevel level, RowType type) {
        return of(level).toFloats(type);
    }

    static Assembler toHalves(RowLevel level) {
        return of(level).toHalves();
    }

    private static ConversionCode<?> of(RowLevel level) {
        return switch (level) {
            case AVX512 -> new ConversionCode<>(List.of(zmm(0)));
            case AVX2 -> new ConversionCode<>(List.of(ymm(0), ymm(1)));
        };
    }

    private Assembler toFloats(RowType type) {
        return write(type.bytes(), V, (register, from, to) -> {
            type.load(code, register, from);
            code.vmovups(to, register);
        });
    }

    private Assembler toHalves() {
        return write(V, HALVES, (register, from, to) -> {
            code.vmovups(register, from);
            code.vcvtps2ph(to, register);
        });
    }

    private interface Conversion<V> {
        void write(V register, Address from, Address to);
    }

    private Assembler write(int fromBytes, int toBytes, Conversion<V> conversion) {
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
        int count = registers.size();
        for (int i = 0; i < count; i++) {
            conversion.write(registers.get(i), at(RAX, i * fromBytes / count), at(R10, i * toBytes / count));
        }
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
        return code;
    }
}
