package dev.stowage.cpu.machine.tile;

import static dev.stowage.cpu.machine.Address.at;
import static dev.stowage.cpu.machine.Gp.R10;
import static dev.stowage.cpu.machine.Gp.R11;
import static dev.stowage.cpu.machine.Gp.R9;
import static dev.stowage.cpu.machine.Gp.RAX;
import static dev.stowage.cpu.machine.Gp.RCX;
import static dev.stowage.cpu.machine.Gp.RDI;
import static dev.stowage.cpu.machine.Gp.RDX;
import static dev.stowage.cpu.machine.Gp.RSI;
import static dev.stowage.cpu.machine.Gp.RSP;
import static dev.stowage.cpu.machine.Ymm.ymm;

import dev.stowage.cpu.machine.Address;
import dev.stowage.cpu.machine.Gp;
import dev.stowage.cpu.machine.Label;
import dev.stowage.cpu.machine.Operand;
import dev.stowage.cpu.machine.Ymm;

/**
 * Tiles for registers of 256 bits, of which there are 16: a register has 8 rows, and every part of a block is gone through
 * twice, for the first rows and for the last. R10 is the first row, and with the bytes of a unit for its scale an index for
 * everything that is interleaved. Columns are gone through in a loop, a few at a time: code for all of them would be so long that
 * it is read more slowly than it is run.
 *
 * <pre>
 *            while weights are unpacked     while they are multiplied
 *   0..7     weights of 32 elements         the same
 *   8        temporary                      sums, numbers of columns,
 *   9, 10    scales and steps of the rows   scales
 *   12..15   constants
 *
 *   RSP   +0      results: 12 columns of 16 floats
 *         +768    scales of the rows
 *         +800    steps of the rows
 *         +832    constants, and two of the {@linkplain MaddTile subclass}
 *         +1024   weights with their signs
 *         +1280   RDX and RCX
 * </pre>
 */
abstract class HalfTile extends TileCode<Ymm> {

    /** The bytes of a register. */
    static final int V = 32;

    private static final int LANES = 8;
    private static final int SCALES = Panel.MOST_COLUMNS * LINE;
    private static final int STEPS = SCALES + V;
    private static final int CONSTANTS = STEPS + V;

    private static final int MOST_CONSTANTS = 4;
    private static final int OWN_CONSTANTS = CONSTANTS + MOST_CONSTANTS * V;

    /** Memory for all weights of 32 elements. */
    static final int SIGNED = OWN_CONSTANTS + 2 * V;

    private static final int SAVED = SIGNED + WEIGHTS * V;
    private static final int FRAME = SAVED + LINE;

    /** Where the numbers of a few columns are, and their scales and extras, and their results; how often there are such. */
    private static final Gp NUMBERS = RAX;

    private static final Gp COLUMN_SCALES = R9;
    private static final Gp RESULTS = RDX;
    private static final Gp COUNT = RCX;

    /** The middle of four columns, so that distances from there are bytes. */
    private static final int MIDDLE = 2 * Panel.STEP;

    private static final int LAST_CONSTANT = 15;
    private static final Ymm SCALED = ymm(14);
    private static final int FIRST_SUM = 8;

    private final int together;

    /** A tile that multiplies so many columns at a time. */
    HalfTile(TileType type, int columns, int together) {
        super(type, columns);
        this.together = together;
    }

    @Override
    void begin() {
        code.mov(R11, RSP);
        code.sub(RSP, FRAME);
        code.and(RSP, -LINE);
        code.mov(at(RSP, SAVED), RDX);
        code.mov(at(RSP, SAVED + Long.BYTES), RCX);
        int[] constants = format.constants();
        for (int i = 0; i < constants.length; i++) {
            fill(ymm(0), constants[i]);
            code.vmovups(at(RSP, CONSTANTS + i * V), ymm(0));
        }
        code.vpxor(ymm(0), ymm(0), ymm(0));
        for (int at = 0; at < columns * LINE; at += V) {
            code.vmovups(at(RSP, at), ymm(0));
        }
    }

    /** Keeps a constant of a subclass in memory. */
    final void keep(int index, int value) {
        fill(ymm(0), value);
        code.vmovups(kept(index), ymm(0));
    }

    static Address kept(int index) {
        return at(RSP, OWN_CONSTANTS + index * V);
    }

    @Override
    void multiplyPart(int part) {
        Label next = new Label();
        code.mov(R10, 0);
        code.bind(next);
        for (int i = 0; i < format.constants().length; i++) {
            code.vmovups(ymm(LAST_CONSTANT - i), at(RSP, CONSTANTS + i * V));
        }
        format.unpack(part);
        code.vmovups(at(RSP, SCALES), rowScale());
        if (type.extra != TileType.Extra.SUM) {
            code.vmovups(at(RSP, STEPS), rowStep());
        }
        prepareWeights();
        code.lea(NUMBERS, at(RSI, MIDDLE));
        code.lea(COLUMN_SCALES, at(RSI, Panel.scale(columns, 0)));
        code.lea(RESULTS, at(RSP, R10, Float.BYTES, 0));
        int whole = columns / together;
        if (whole > 0) {
            multiplyRepeatedly(whole);
        }
        if (columns % together > 0) {
            multiplyColumns(0, columns % together);
        }
        code.add(R10, LANES);
        code.cmp(R10, ROWS);
        code.jb(next);
    }

    private void multiplyRepeatedly(int times) {
        Label next = new Label();
        code.mov(COUNT, times);
        code.bind(next);
        multiplyColumns(0, together);
        code.add(NUMBERS, together * Panel.STEP);
        code.add(COLUMN_SCALES, together * Float.BYTES);
        code.add(RESULTS, together * LINE);
        code.dec(COUNT);
        code.jnz(next);
    }

    /** Changes unpacked weights to what {@link #sums} needs. */
    void prepareWeights() {
        // They are right as they are.
    }

    @Override
    void storeResults() {
        code.mov(RDX, at(RSP, SAVED));
        code.mov(RCX, at(RSP, SAVED + Long.BYTES));
        for (int column = 0; column < columns; column++) {
            for (int half = 0; half < LINE; half += V) {
                code.vmovups(ymm(0), at(RSP, column * LINE + half));
                code.vmovups(at(RDX, half), ymm(0));
            }
            code.add(RDX, RCX);
        }
        code.mov(RSP, R11);
    }

    @Override
    Ymm weights(int index) {
        return ymm(index);
    }

    @Override
    Ymm rowScale() {
        return ymm(9);
    }

    @Override
    Ymm rowStep() {
        return ymm(10);
    }

    @Override
    Ymm temporary() {
        return ymm(8);
    }

    @Override
    Ymm constant(int value) {
        return ymm(LAST_CONSTANT - indexOf(value));
    }

    @Override
    Address inBlock(int bytesPerRow, int unit) {
        return at(RDI, R10, unit, ROWS * bytesPerRow);
    }

    @Override
    void and(Ymm to, Operand from, int constant) {
        code.vpand(to, constant(constant), from);
    }

    @Override
    void insert(Ymm to, Ymm bits, int constant) {
        code.vpand(bits, bits, constant(constant));
        code.vpor(to, to, bits);
    }

    @Override
    void shiftRight(Ymm to, Operand from, int bits) {
        code.vpsrld(to, loaded(to, from), bits);
    }

    @Override
    void shiftLeft(Ymm to, Operand from, int bits) {
        code.vpslld(to, loaded(to, from), bits);
    }

    /** Shifts of memory are of AVX-512. */
    private Operand loaded(Ymm to, Operand from) {
        if (from instanceof Address) {
            code.vmovups(to, from);
            return to;
        }
        return from;
    }

    static Ymm sum(int index) {
        return ymm(FIRST_SUM + index);
    }

    static Address numbers(int column, int index) {
        return at(NUMBERS, Panel.numbers(column) + 4 * index - MIDDLE);
    }

    /** An extra of a column. */
    final Address extra(int column, int index) {
        return at(COLUMN_SCALES, Panel.extra(columns, column, index) - Panel.scale(columns, 0));
    }

    private static Address result(int column) {
        return at(RESULTS, column * LINE);
    }

    @Override
    void addSums(int first, int count, boolean second) {
        for (int i = 0; i < count; i++) {
            code.vcvtdq2ps(sum(i), sum(i));
            code.vpbroadcastd(SCALED, at(COLUMN_SCALES, (first + i) * Float.BYTES));
            code.vmulps(SCALED, SCALED, at(RSP, second ? STEPS : SCALES));
            code.vfmadd213ps(sum(i), SCALED, result(first + i));
            code.vmovups(result(first + i), sum(i));
        }
    }

    /** The registers of the sums still have the results of their columns. */
    @Override
    void addSteps(int first, int count) {
        for (int i = 0; i < count; i++) {
            code.vpbroadcastd(SCALED, extra(first + i, 0));
            code.vfmadd231ps(sum(i), SCALED, at(RSP, STEPS));
            code.vmovups(result(first + i), sum(i));
        }
    }
}
