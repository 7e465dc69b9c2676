package dev.stowage.cpu.machine.tile;

import static dev.stowage.cpu.machine.Address.at;
import static dev.stowage.cpu.machine.Gp.R8;
import static dev.stowage.cpu.machine.Gp.RAX;
import static dev.stowage.cpu.machine.Gp.RDI;
import static dev.stowage.cpu.machine.Gp.RSI;
import static dev.stowage.cpu.machine.Xmm.xmm;

import dev.stowage.cpu.machine.Address;
import dev.stowage.cpu.machine.Assembler;
import dev.stowage.cpu.machine.Label;
import dev.stowage.cpu.machine.Operand;
import dev.stowage.cpu.machine.VectorRegister;
import dev.stowage.cpu.machine.matrix.AmxUnit;

/**
 * Writes the product of 16 rows of weights and up to 12 columns.
 *
 * <p>Vectors go across the rows: a lane of 32 bits is a row. The weights of 32 elements are eight registers of unsigned
 * bytes, each with four neighbours of every row; what a column has for the same elements is broadcast from memory four bytes
 * at a time:
 *
 * <pre>
 *                  row 0          row 1                row 15
 *   w0        w  w  w  w  │  w  w  w  w  │ ...  │  w  w  w  w      elements 0..3
 *             x  x  x  x  │  x  x  x  x  │ ...  │  x  x  x  x      numbers 0..3 of a column, repeated
 *   sum  +=   ─ 4 products, added ─                                vpdpbusd, or what does the same
 *   ...
 *   w7                                                             elements 28..31
 *
 *   column's 16 results  +=  float(sum) * scale of the rows * scale of the column
 * </pre>
 *
 * Weights are unsigned by an offset; a sum begins with minus the offset times the sum of the column's numbers, so that it is
 * exact. The {@link TileFormat} of a type unpacks weights; how many rows a register has and which instructions multiply is
 * up to the {@linkplain TileLevel level}. At all of them sums are exact and floats are added in the same order, so that results
 * have the same bits. The code is called with
 *
 * <pre>
 *   RDI   16 rows of weights, {@linkplain dev.stowage.cpu.weights interleaved}
 *   RSI   a {@link Panel} of columns
 *   RDX   where the results of the first column go, 16 floats
 *   RCX   bytes from there to those of the next
 *   R8    blocks of a row, at least one
 * </pre>
 *
 * @param <V> the registers it uses
 */
abstract class TileCode<V extends VectorRegister<V>> {

    static final int ROWS = 16;

    /** The bytes of 16 rows with a number of 32 bits of each: a line of memory. */
    static final int LINE = 64;

    /** Registers of weights for 32 elements. */
    static final int WEIGHTS = 8;

    /**
     * How far ahead weights are asked for. A block is not read from its first to its last byte, so that the processor does not
     * see by itself that memory is read in order.
     */
    private static final int AHEAD = 4 << 10;

    /**
     * The same for blocks that are so large that what is needed first of one is not asked for long before: into the second cache, as
     * the first is too small for so many.
     */
    private static final int FAR_AHEAD = 16 << 10;

    private static final int LARGE_BLOCK = 40 * LINE;

    /** Up to so many columns the weights come from memory; with more, the time goes into products. */
    private static final int FEW_COLUMNS = 8;

    final Assembler code = new Assembler();
    final TileType type;
    final int columns;
    final TileFormat<V> format;

    TileCode(TileType type, int columns) {
        this.type = type;
        this.columns = columns;
        this.format = TileFormat.of(type, this);
    }

    /** The code for weights of a type and a number of columns. */
    static Assembler of(TileLevel level, TileType type, int columns) {
        TileCode<?> tile = switch (level) {
            case AMX -> new MatrixTile(type, columns, AmxUnit::new);
            case AVX512_VNNI -> new WideTile(type, columns);
            case AVX_VNNI -> new VnniTile(type, columns);
            case AVX2 -> new MaddTile(type, columns);
        };
        return tile.write();
    }

    /** Writes the code. */
    final Assembler write() {
        Label next = new Label();
        begin();
        code.bind(next);
        int parts = type.span() / Panel.STEP;
        for (int part = 0; part < parts; part++) {
            askAhead(part, parts);
            multiplyPart(part);
            code.add(RSI, Panel.stepBytes(type, columns));
        }
        code.add(RDI, ROWS * type.blockBytes());
        code.dec(R8);
        code.jnz(next);
        storeResults();
        code.vzeroupper();
        code.ret();
        return code;
    }

    /** Prepares constants and results that are 0. */
    abstract void begin();

    /** Multiplies 32 elements of a block of all rows. */
    abstract void multiplyPart(int part);

    /** Writes the results. */
    abstract void storeResults();

    /** The register of four neighbours of 32 elements, 0 to 7. */
    abstract V weights(int index);

    /** The scales of the rows. */
    abstract V rowScale();

    /** What a unit of a column's extra adds to each row, or a second scale. */
    abstract V rowStep();

    /** A register for results in between. */
    abstract V temporary();

    /** A register with one of the format's {@linkplain TileFormat#constants constants} in every lane. */
    abstract V constant(int value);

    /** The constant's number. */
    final int indexOf(int value) {
        int[] constants = format.constants();
        for (int i = 0; i < constants.length; i++) {
            if (constants[i] == value) {
                return i;
            }
        }
        throw new IllegalArgumentException("the format does not list the constant " + value);
    }

    /** Puts a number into every lane. */
    final void fill(V to, int value) {
        code.mov(RAX, value);
        code.vmovd(xmm(to.number()), RAX);
        code.vpbroadcastd(to, xmm(to.number()));
    }

    /**
     * Memory of a block: a unit of every row.
     *
     * @param bytesPerRow how many bytes of every row are before it
     * @param unit the bytes of a row that are together, 1, 2 or 4
     */
    abstract Address inBlock(int bytesPerRow, int unit);

    /** to = from & a constant */
    abstract void and(V to, Operand from, int constant);

    /** to |= bits & a constant; the bits may be lost */
    abstract void insert(V to, V bits, int constant);

    /** to = from >>> bits */
    abstract void shiftRight(V to, Operand from, int bits);

    /** to = from << bits */
    abstract void shiftLeft(V to, Operand from, int bits);

    /** Asks for a part's share of the lines of a later block: all at once would have to wait for each other. */
    private void askAhead(int part, int parts) {
        int block = ROWS * type.blockBytes();
        int end = block * (part + 1) / parts;
        for (int line = Math.ceilDiv(block * part / parts, LINE) * LINE;
                line < end && columns <= FEW_COLUMNS;
                line += LINE) {
            if (block > LARGE_BLOCK) {
                code.prefetcht1(at(RDI, FAR_AHEAD + line));
            } else {
                code.prefetcht0(at(RDI, AHEAD + line));
            }
        }
    }

    /** Multiplies the weights in registers with a few columns: one alone would wait for its last step. */
    final void multiplyColumns(int first, int count) {
        switch (type.extra) {
            case SUM -> {
                sums(first, count, 0, WEIGHTS, 0);
                addSums(first, count, false);
            }
            case TWO_SUMS -> {
                sums(first, count, 0, WEIGHTS / 2, 0);
                addSums(first, count, false);
                sums(first, count, WEIGHTS / 2, WEIGHTS, 1);
                addSums(first, count, true);
            }
            case SCALED_SUM -> {
                sums(first, count, 0, WEIGHTS, 0);
                addSums(first, count, false);
                addSteps(first, count);
            }
        }
    }

    /** The sums of some columns over some of the weights in registers. */
    abstract void sums(int first, int count, int from, int to, int extra);

    /** Adds the sums, scaled by the first or the second scale of the rows, to the results of their columns. */
    abstract void addSums(int first, int count, boolean second);

    /** Adds to the same columns what the rows' steps make of their extras. */
    abstract void addSteps(int first, int count);
}
