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
import static dev.stowage.cpu.machine.Zmm.zmm;

import dev.stowage.cpu.machine.Assembler;
import dev.stowage.cpu.machine.Label;
import dev.stowage.cpu.machine.Xmm;
import dev.stowage.cpu.machine.Zmm;

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
 */
final class ColumnCode {

    private static final int V = 64;

    private static final Zmm MOST = zmm(4);
    private static final Zmm INVERSE = zmm(5);
    private static final Xmm SCALE = xmm(6);
    private static final Zmm LARGEST = zmm(16);
    private static final Zmm WITHOUT_SIGN = zmm(17);
    private static final Xmm FACTOR = xmm(18);

    private final Assembler code = new Assembler();
    private final TileType type;

    private ColumnCode(TileType type) {
        this.type = type;
    }

    static Assembler of(TileType type) {
        ColumnCode column = new ColumnCode(type);
        column.write();
        return column.code;
    }

    private void write() {
        Label next = new Label();
        code.mov(RAX, Float.floatToRawIntBits(127));
        code.vpbroadcastd(LARGEST, RAX);
        code.mov(RAX, Integer.MAX_VALUE);
        code.vpbroadcastd(WITHOUT_SIGN, RAX);
        boolean isScaled = type.extra == TileType.Extra.SCALED_SUM;
        code.mov(RAX, isScaled ? Float.floatToRawIntBits(-1) : -type.offset);
        code.vpbroadcastd(FACTOR, RAX);
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

    /** Finds the largest of a span. Numbers without sign are ordered as the whole numbers of their bits, and NaN is above. */
    private void largest() {
        code.vpandd(MOST, WITHOUT_SIGN, at(RDI));
        for (int i = 1; i < type.span() / 16; i++) {
            code.vpandd(zmm(0), WITHOUT_SIGN, at(RDI, i * V));
            code.vpmaxud(MOST, MOST, zmm(0));
        }
        code.vextracti64x4(ymm(0), MOST, 1);
        code.vpmaxud(ymm(4), ymm(4), ymm(0));
        code.vextracti128(xmm(0), ymm(4), 1);
        code.vpmaxud(xmm(4), xmm(4), xmm(0));
        code.vpshufd(xmm(0), xmm(4), 0x4E);
        code.vpmaxud(xmm(4), xmm(4), xmm(0));
        code.vpshufd(xmm(0), xmm(4), 0xB1);
        code.vpmaxud(xmm(4), xmm(4), xmm(0));
        code.vdivps(xmm(5), xmm(16), xmm(4));
        code.vpbroadcastd(INVERSE, xmm(5));
        code.vdivps(SCALE, xmm(4), xmm(16));
        if (type.span() == Panel.STEP) {
            // As in q8_0, whose scales are f16; those of q8_K are floats.
            code.vcvtps2ph(SCALE, SCALE);
            code.vcvtph2ps(SCALE, SCALE);
        }
    }

    /** Rounds 32 numbers. Where all are 0 the inverse is infinite, and what is no number becomes 0x80000000: byte 0, sum 0. */
    private void step() {
        code.vmulps(zmm(0), INVERSE, at(RDI));
        code.vmulps(zmm(1), INVERSE, at(RDI, V));
        code.vcvtps2dq(zmm(0), zmm(0));
        code.vcvtps2dq(zmm(1), zmm(1));
        code.vpmovdb(at(RSI), zmm(0));
        code.vpmovdb(at(RSI, 16), zmm(1));
        code.vmovd(at(RDX), SCALE);
        switch (type.extra) {
            case SUM -> {
                code.vpaddd(zmm(0), zmm(0), zmm(1));
                sum(0);
                code.vpmulld(xmm(0), xmm(0), FACTOR);
                code.vmovd(at(RDX, R9, 1, 0), xmm(0));
            }
            case TWO_SUMS -> {
                sum(0);
                code.vpmulld(xmm(0), xmm(0), FACTOR);
                code.vmovd(at(RDX, R9, 1, 0), xmm(0));
                sum(1);
                code.vpmulld(xmm(1), xmm(1), FACTOR);
                code.vmovd(at(RDX, R9, 2, 0), xmm(1));
            }
            case SCALED_SUM -> {
                code.vpaddd(zmm(0), zmm(0), zmm(1));
                sum(0);
                code.vcvtdq2ps(xmm(0), xmm(0));
                code.vmulps(xmm(0), xmm(0), SCALE);
                code.vmulps(xmm(0), xmm(0), FACTOR);
                code.vmovd(at(RDX, R9, 1, 0), xmm(0));
            }
        }
        code.add(RDI, 2 * V);
        code.add(RSI, RCX);
        code.add(RDX, RCX);
    }

    /** Adds up the lanes of a register, into its first. */
    private void sum(int register) {
        code.vextracti64x4(ymm(2), zmm(register), 1);
        code.vpaddd(ymm(register), ymm(register), ymm(2));
        code.vextracti128(xmm(2), ymm(register), 1);
        code.vpaddd(xmm(register), xmm(register), xmm(2));
        code.vpshufd(xmm(2), xmm(register), 0x4E);
        code.vpaddd(xmm(register), xmm(register), xmm(2));
        code.vpshufd(xmm(2), xmm(register), 0xB1);
        code.vpaddd(xmm(register), xmm(register), xmm(2));
    }
}
