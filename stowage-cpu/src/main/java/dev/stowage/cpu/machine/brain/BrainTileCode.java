package dev.stowage.cpu.machine.brain;

import static dev.stowage.cpu.machine.Address.at;
import static dev.stowage.cpu.machine.Gp.R10;
import static dev.stowage.cpu.machine.Gp.R8;
import static dev.stowage.cpu.machine.Gp.R9;
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
 * Writes the product of up to 7 rows of bf16, as they are stored, and up to 4 vectors of 16 columns. Two neighbours of a row are
 * 32 bits, which meet the same two of every column:
 *
 * <pre>
 *                        column 0  column 1       column 15
 *   c0                    x  x   │  x  x   │ ... │  x  x        elements k, k + 1
 *   row, repeated         w  w   │  w  w   │ ... │  w  w        the same elements, from memory
 *   sum               +=  ─ 2 products ─                        vdpbf16ps
 *
 *   0..27   sums, those of a row beside each other      28..31   columns
 * </pre>
 *
 * The code is called with
 *
 * <pre>
 *   RDI   the first row
 *   RSI   the columns: for each pair of elements those of one column after the other
 *   RDX   the sums: floats, for each row the columns; the products are added to them
 *   RCX   bytes from row to row
 *   R8    steps of {@value BrainKernels#STEP} elements, at least one
 * </pre>
 */
final class BrainTileCode {

    private static final int V = 64;
    private static final int PAIR = 4;
    private static final int PAIRS = BrainKernels.STEP / 2;
    private static final int FIRST_COLUMNS = 28;

    private final Assembler code = new Assembler();
    private final int rows;
    private final int vectors;

    private BrainTileCode(int rows, int vectors) {
        this.rows = rows;
        this.vectors = vectors;
    }

    static Assembler of(int rows, int vectors) {
        BrainTileCode tile = new BrainTileCode(rows, vectors);
        tile.write();
        return tile.code;
    }

    private void write() {
        Label next = new Label();
        code.lea(R9, at(RCX, RCX, 2, 0));
        code.lea(R10, at(RCX, RCX, 4, 0));
        for (int i = 0; i < rows * vectors; i++) {
            code.vmovups(zmm(i), at(RDX, i * V));
        }
        code.bind(next);
        for (int pair = 0; pair < PAIRS; pair++) {
            multiply(pair);
        }
        code.add(RDI, PAIRS * PAIR);
        code.add(RSI, PAIRS * vectors * V);
        code.dec(R8);
        code.jnz(next);
        for (int i = 0; i < rows * vectors; i++) {
            code.vmovups(at(RDX, i * V), zmm(i));
        }
        code.vzeroupper();
        code.ret();
    }

    private void multiply(int pair) {
        for (int vector = 0; vector < vectors; vector++) {
            code.vmovups(columns(vector), at(RSI, (pair * vectors + vector) * V));
        }
        for (int row = 0; row < rows; row++) {
            for (int vector = 0; vector < vectors; vector++) {
                code.vdpbf16ps(
                        zmm(row * vectors + vector),
                        columns(vector),
                        row(row, pair * PAIR).repeated());
            }
        }
    }

    private static Zmm columns(int vector) {
        return zmm(FIRST_COLUMNS + vector);
    }

    /** A row begins 0 to 6 times the distance of rows after the first: R9 has it 3 times, and R10 5 times. */
    private static Address row(int row, int offset) {
        return switch (row) {
            case 0 -> at(RDI, offset);
            case 1, 2, 4 -> at(RDI, RCX, row, offset);
            case 3, 6 -> at(RDI, R9, row / 3, offset);
            case 5 -> at(RDI, R10, 1, offset);
            default -> throw new IllegalArgumentException("a tile has no row " + row);
        };
    }
}
