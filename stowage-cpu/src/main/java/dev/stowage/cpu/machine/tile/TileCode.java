package dev.stowage.cpu.machine.tile;

import static dev.stowage.cpu.machine.Address.at;
import static dev.stowage.cpu.machine.Address.broadcast;
import static dev.stowage.cpu.machine.Gp.R8;
import static dev.stowage.cpu.machine.Gp.RAX;
import static dev.stowage.cpu.machine.Gp.RCX;
import static dev.stowage.cpu.machine.Gp.RDI;
import static dev.stowage.cpu.machine.Gp.RDX;
import static dev.stowage.cpu.machine.Gp.RSI;
import static dev.stowage.cpu.machine.Zmm.zmm;

import dev.stowage.cpu.machine.Address;
import dev.stowage.cpu.machine.Assembler;
import dev.stowage.cpu.machine.Label;
import dev.stowage.cpu.machine.Zmm;

/**
 * Writes the product of 16 rows of weights and up to 12 columns, for AVX-512 with VNNI.
 *
 * <p>Vectors go across the rows: a lane of 32 bits is a row. The weights of 32 elements are eight registers of unsigned
 * bytes, each with four neighbours of every row; what a column has for the same elements is broadcast from memory four bytes
 * at a time:
 *
 * <pre>
 *                  row 0          row 1                row 15
 *   w0        w  w  w  w  │  w  w  w  w  │ ...  │  w  w  w  w      elements 0..3
 *             x  x  x  x  │  x  x  x  x  │ ...  │  x  x  x  x      numbers 0..3 of a column, repeated
 *   sum  +=   ─ 4 products, added ─                                vpdpbusd
 *   ...
 *   w7                                                             elements 28..31
 *
 *   column's 16 results  +=  float(sum) * scale of the rows * scale of the column
 * </pre>
 *
 * Weights are unsigned by an offset; a sum begins with minus the offset times the sum of the column's numbers, so that it is
 * exact. The code is called with
 *
 * <pre>
 *   RDI   16 rows of weights, {@linkplain dev.stowage.cpu.weights interleaved}
 *   RSI   a {@link Panel} of columns
 *   RDX   where the results of the first column go, 16 floats
 *   RCX   bytes from there to those of the next
 *   R8    blocks of a row, at least one
 * </pre>
 */
abstract class TileCode {

    static final int ROWS = 16;

    /** The bytes of a register: a number of 32 bits of each row. */
    static final int V = 64;

    /** Columns whose sums are computed at the same time: one alone would wait for its last step. */
    private static final int TOGETHER = 4;

    /**
     * How far ahead weights are asked for. A block is not read from its first to its last byte, so that the processor does not
     * see by itself that memory is read in order.
     */
    private static final int AHEAD = 8 << 10;

    /** Up to so many columns the weights come from memory; with more, the time goes into products. */
    private static final int FEW_COLUMNS = 8;

    private static final int FIRST_WEIGHTS = 12;
    private static final int FIRST_SUM = 20;

    /** The scales of 16 rows, and what a unit of a column's extra adds to them. */
    static final Zmm ROW_SCALE = zmm(26);

    static final Zmm ROW_STEP = zmm(27);
    static final Zmm TEMPORARY = zmm(25);
    static final Zmm LOW_NIBBLES = zmm(31);
    private static final Zmm SCALED = zmm(24);

    final Assembler code = new Assembler();
    final TileType type;
    final int columns;

    /** Bytes of the block for which the next one's have been asked for. */
    private int asked;

    TileCode(TileType type, int columns) {
        this.type = type;
        this.columns = columns;
    }

    /** The code for weights of a type and a number of columns. */
    static Assembler of(TileType type, int columns) {
        TileCode tile = switch (type) {
            case Q4_0 -> new Q4_0Tile(columns);
            case Q5_0 -> new Q5_0Tile(columns);
            case Q8_0 -> new Q8_0Tile(columns);
            case Q4_K -> new Q4_KTile(columns);
            case Q5_K -> new Q5_KTile(columns);
            case Q6_K -> new Q6_KTile(columns);
        };
        tile.write();
        return tile.code;
    }

    private void write() {
        Label next = new Label();
        constants();
        for (int column = 0; column < columns; column++) {
            code.vpxord(zmm(column), zmm(column), zmm(column));
        }
        code.bind(next);
        asked = 0;
        block();
        code.add(RDI, ROWS * type.blockBytes());
        code.dec(R8);
        code.jnz(next);
        for (int column = 0; column < columns; column++) {
            code.vmovups(at(RDX), zmm(column));
            code.add(RDX, RCX);
        }
        code.vzeroupper();
        code.ret();
    }

    /** Fills the registers that keep their values. */
    abstract void constants();

    /** Multiplies a block of weights, 32 elements at a time. */
    abstract void block();

    final void constant(Zmm to, int value) {
        code.mov(RAX, value);
        code.vpbroadcastd(to, RAX);
    }

    /** The register of four neighbours of 32 elements, 0 to 7. */
    static Zmm weights(int index) {
        return zmm(FIRST_WEIGHTS + index);
    }

    /** Memory of a block: so many bytes after its beginning for every row. */
    static Address inBlock(int bytesPerRow) {
        return at(RDI, ROWS * bytesPerRow);
    }

    /** Multiplies the weights in registers with 32 elements of all columns, and goes on to the next. */
    final void multiplyStep() {
        askAhead();
        for (int first = 0; first < columns; first += TOGETHER) {
            int count = Math.min(TOGETHER, columns - first);
            switch (type.extra) {
                case SUM -> {
                    sums(first, count, 0, 8, 0);
                    addSums(first, count, ROW_SCALE);
                }
                case TWO_SUMS -> {
                    sums(first, count, 0, 4, 0);
                    addSums(first, count, ROW_SCALE);
                    sums(first, count, 4, 8, 1);
                    addSums(first, count, ROW_STEP);
                }
                case SCALED_SUM -> {
                    sums(first, count, 0, 8, 0);
                    addSums(first, count, ROW_SCALE);
                    addSteps(first, count);
                }
            }
        }
        code.add(RSI, Panel.stepBytes(type, columns));
    }

    /** Asks for a step's share of the lines of a later block: all at once would have to wait for each other. */
    private void askAhead() {
        int end = asked + ROWS * type.blockBytes() * Panel.STEP / type.span();
        for (int line = Math.ceilDiv(asked, V) * V; line < end && columns <= FEW_COLUMNS; line += V) {
            code.prefetcht0(at(RDI, AHEAD + line));
        }
        asked = end;
    }

    /** The sums of some columns over some of the weights in registers. */
    private void sums(int first, int count, int from, int to, int extra) {
        for (int i = 0; i < count; i++) {
            Zmm sum = zmm(FIRST_SUM + i);
            if (type.extra == TileType.Extra.SCALED_SUM) {
                code.vpxord(sum, sum, sum);
            } else {
                code.vpbroadcastd(sum, at(RSI, Panel.extra(columns, first + i, extra)));
            }
        }
        for (int j = from; j < to; j++) {
            for (int i = 0; i < count; i++) {
                Address numbers = broadcast(RSI, Panel.numbers(first + i) + 4 * j);
                code.vpdpbusd(zmm(FIRST_SUM + i), weights(j), numbers);
            }
        }
    }

    private void addSums(int first, int count, Zmm rowScale) {
        for (int i = 0; i < count; i++) {
            Zmm sum = zmm(FIRST_SUM + i);
            code.vcvtdq2ps(sum, sum);
            code.vmulps(SCALED, rowScale, broadcast(RSI, Panel.scale(columns, first + i)));
            code.vfmadd231ps(zmm(first + i), sum, SCALED);
        }
    }

    private void addSteps(int first, int count) {
        for (int i = 0; i < count; i++) {
            code.vfmadd231ps(zmm(first + i), ROW_STEP, broadcast(RSI, Panel.extra(columns, first + i, 0)));
        }
    }
}
