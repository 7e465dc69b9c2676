package dev.stowage.cpu.machine.tile;

import static dev.stowage.cpu.machine.Address.at;
import static dev.stowage.cpu.machine.Gp.R8;
import static dev.stowage.cpu.machine.Gp.R9;
import static dev.stowage.cpu.machine.Gp.RAX;
import static dev.stowage.cpu.machine.Gp.RCX;
import static dev.stowage.cpu.machine.Gp.RDI;
import static dev.stowage.cpu.machine.Gp.RDX;
import static dev.stowage.cpu.machine.Gp.RSI;
import static dev.stowage.cpu.machine.Xmm.xmm;
import static dev.stowage.cpu.machine.Ymm.ymm;

import dev.stowage.cpu.machine.Address;
import dev.stowage.cpu.machine.Assembler;
import dev.stowage.cpu.machine.Label;
import dev.stowage.cpu.machine.VectorRegister;
import dev.stowage.cpu.machine.Xmm;

/**
 * Writes the rounding of a column of floats to eight bits, into its place in a {@link Panel}: for 32 or 256 numbers the
 * largest is found, and all are multiplied with 127 over it. The code is called with
 *
 * <pre>
 *   RDI   the floats
 *   RSI   the column's numbers in the panel
 *   RDX   its scale
 *   RCX   bytes from each of these to the next step's
 *   R8    spans of 32 or 256 numbers, at least one
 *   R9    bytes from the scale to the extra, and from an extra to the next
 * </pre>
 *
 * A span with NaN gets NaN for its scale, one with an infinity gets infinity.
 *
 * @param <V> the registers that floats are loaded into
 */
abstract class ColumnCode<V extends VectorRegister<V>> {

    private static final int MOST = 4;
    private static final int INVERSE = 5;
    private static final Xmm SCALE = xmm(6);
    private static final int LARGEST = 7;

    /** The register whose lanes have all bits but the sign. */
    static final int WITHOUT_SIGN = 8;

    private static final int FACTOR = 9;

    /** The first register of those that a subclass keeps constants in. */
    static final int FIRST_FREE = 10;

    final Assembler code = new Assembler();
    final TileType type;

    ColumnCode(TileType type) {
        this.type = type;
    }

    static Assembler of(TileLevel level, TileType type) {
        ColumnCode<?> column = switch (level) {
            case AMX, AVX512_VNNI -> new WideColumns(type);
            case AVX_VNNI, AVX2 -> new HalfColumns(type);
        };
        column.write();
        return column.code;
    }

    private void write() {
        Label next = new Label();
        constants();
        code.bind(next);
        largest();
        for (int step = 0; step < type.span() / Panel.STEP; step++) {
            step();
        }
        code.dec(R8);
        code.jnz(next);
        code.vzeroupper();
        code.ret();
    }

    void constants() {
        boolean isScaled = type.extra == TileType.Extra.SCALED_SUM;
        fill(LARGEST, Float.floatToRawIntBits(127));
        fill(WITHOUT_SIGN, Integer.MAX_VALUE);
        fill(FACTOR, isScaled ? Float.floatToRawIntBits(-1) : -type.offset);
    }

    final void fill(int register, int value) {
        code.mov(RAX, value);
        code.vmovd(xmm(register), RAX);
        code.vpbroadcastd(v(register), xmm(register));
    }

    /** A register. */
    abstract V v(int number);

    /** Loads floats without their signs. */
    abstract void loadSizes(V to, Address from);

    /** Leaves the maxima of the lanes in those of the register's lower 32 bytes. */
    abstract void foldMaxima(int register);

    /** Writes 32 whole numbers, in registers from 0 on, as bytes. */
    abstract void storeBytes(Address to);

    /** Adds up the lanes of each 16 whole numbers, in registers from 0 on, to 8 sums in YMM0 and 8 in YMM1. */
    abstract void foldSums();

    /** Finds the largest of a span. Numbers without sign are ordered as the whole numbers of their bits, and NaN is above. */
    private void largest() {
        int bytes = v(0).bytes();
        loadSizes(v(MOST), at(RDI));
        for (int i = 1; i < type.span() * Float.BYTES / bytes; i++) {
            loadSizes(v(0), at(RDI, i * bytes));
            code.vpmaxud(v(MOST), v(MOST), v(0));
        }
        foldMaxima(MOST);
        Xmm most = xmm(MOST);
        code.vextracti128(xmm(0), ymm(MOST), 1);
        code.vpmaxud(most, most, xmm(0));
        code.vpshufd(xmm(0), most, 0x4E);
        code.vpmaxud(most, most, xmm(0));
        code.vpshufd(xmm(0), most, 0xB1);
        code.vpmaxud(most, most, xmm(0));
        code.vdivps(xmm(INVERSE), xmm(LARGEST), most);
        code.vpbroadcastd(v(INVERSE), xmm(INVERSE));
        code.vdivps(SCALE, most, xmm(LARGEST));
        if (type.span() == Panel.STEP) {
            // As in q8_0, whose scales are f16; those of q8_K are floats.
            code.vcvtps2ph(SCALE, SCALE);
            code.vcvtph2ps(SCALE, SCALE);
        }
    }

    /** Rounds 32 numbers. Where all are 0 the inverse is infinite, and what is no number becomes 0x80000000: byte 0, sum 0. */
    private void step() {
        int bytes = v(0).bytes();
        int registers = Panel.STEP * Float.BYTES / bytes;
        for (int i = 0; i < registers; i++) {
            code.vmulps(v(i), v(INVERSE), at(RDI, i * bytes));
            code.vcvtps2dq(v(i), v(i));
        }
        storeBytes(at(RSI));
        code.vmovd(at(RDX), SCALE);
        foldSums();
        switch (type.extra) {
            case SUM -> {
                code.vpaddd(ymm(0), ymm(0), ymm(1));
                sum(0);
                storeOffset(0, at(RDX, R9, 1, 0));
            }
            case TWO_SUMS -> {
                sum(0);
                storeOffset(0, at(RDX, R9, 1, 0));
                sum(1);
                storeOffset(1, at(RDX, R9, 2, 0));
            }
            case SCALED_SUM -> {
                code.vpaddd(ymm(0), ymm(0), ymm(1));
                sum(0);
                code.vcvtdq2ps(xmm(0), xmm(0));
                code.vmulps(xmm(0), xmm(0), SCALE);
                code.vmulps(xmm(0), xmm(0), xmm(FACTOR));
                code.vmovd(at(RDX, R9, 1, 0), xmm(0));
            }
        }
        code.add(RDI, Panel.STEP * Float.BYTES);
        code.add(RSI, RCX);
        code.add(RDX, RCX);
    }

    private void storeOffset(int register, Address to) {
        code.vpmulld(xmm(register), xmm(register), xmm(FACTOR));
        code.vmovd(to, xmm(register));
    }

    /** Adds up the lanes of a register, into its first. */
    private void sum(int register) {
        code.vextracti128(xmm(2), ymm(register), 1);
        code.vpaddd(xmm(register), xmm(register), xmm(2));
        code.vpshufd(xmm(2), xmm(register), 0x4E);
        code.vpaddd(xmm(register), xmm(register), xmm(2));
        code.vpshufd(xmm(2), xmm(register), 0xB1);
        code.vpaddd(xmm(register), xmm(register), xmm(2));
    }
}
