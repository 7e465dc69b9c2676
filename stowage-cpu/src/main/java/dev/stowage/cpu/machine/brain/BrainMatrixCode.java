package dev.stowage.cpu.machine.brain;

import static dev.stowage.cpu.machine.Address.at;
import static dev.stowage.cpu.machine.Gp.R10;
import static dev.stowage.cpu.machine.Gp.R11;
import static dev.stowage.cpu.machine.Gp.R8;
import static dev.stowage.cpu.machine.Gp.R9;
import static dev.stowage.cpu.machine.Gp.RCX;
import static dev.stowage.cpu.machine.Gp.RDI;
import static dev.stowage.cpu.machine.Gp.RDX;
import static dev.stowage.cpu.machine.Gp.RSI;
import static dev.stowage.cpu.machine.Gp.RSP;

import dev.stowage.cpu.machine.Assembler;
import dev.stowage.cpu.machine.Label;
import dev.stowage.cpu.machine.matrix.MatrixUnit;
import dev.stowage.cpu.machine.matrix.MatrixUnit.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Writes the product that {@link BrainTileCode} does with AMX, for up to 16 rows: 32 elements of all rows are one matrix, as they
 * are stored; those of 16 columns are another.
 *
 * <pre>
 *   0..3   sums of 16 columns each        4   32 elements of the rows        5   the same of 16 columns
 *
 *   RSP    64 bytes of configuration
 *   R9     bytes from pair to pair of the columns, and from row to row of the sums
 *   R10    how much of a row is left; R11: RSP as it was
 * </pre>
 *
 * It is called as that is.
 */
final class BrainMatrixCode {

    private static final int LINE = 64;
    private static final int ROWS = 4;
    private static final int COLUMNS = 5;

    /** Pairs of elements of a matrix. */
    private static final int PAIRS = BrainKernels.STEP / 2;

    private final Assembler code = new Assembler();
    private final int rows;
    private final int vectors;
    private final MatrixUnit unit;

    private BrainMatrixCode(int rows, int vectors, Function<Assembler, MatrixUnit> unit) {
        this.rows = rows;
        this.vectors = vectors;
        this.unit = unit.apply(code);
    }

    static Assembler of(int rows, int vectors, Function<Assembler, MatrixUnit> unit) {
        BrainMatrixCode matrix = new BrainMatrixCode(rows, vectors, unit);
        matrix.write();
        return matrix.code;
    }

    private void write() {
        Label next = new Label();
        code.mov(R11, RSP);
        code.sub(RSP, 2 * LINE);
        code.and(RSP, -LINE);
        unit.configure(shapes(), at(RSP));
        code.mov(R9, (long) vectors * LINE);
        code.mov(R10, R8);
        for (int vector = 0; vector < vectors; vector++) {
            unit.load(vector, at(RDX, R9, 1, vector * LINE));
        }
        code.bind(next);
        unit.load(ROWS, at(RDI, RCX, 1, 0));
        for (int vector = 0; vector < vectors; vector++) {
            unit.load(COLUMNS, at(RSI, R9, 1, vector * LINE));
            unit.multiplyPairs(vector, ROWS, COLUMNS);
        }
        code.add(RDI, LINE);
        code.add(RSI, PAIRS * vectors * LINE);
        code.dec(R10);
        code.jnz(next);
        for (int vector = 0; vector < vectors; vector++) {
            unit.store(at(RDX, R9, 1, vector * LINE), vector);
        }
        unit.release();
        code.mov(RSP, R11);
        code.ret();
    }

    private List<Shape> shapes() {
        List<Shape> shapes = new ArrayList<>();
        for (int i = 0; i <= ROWS; i++) {
            shapes.add(new Shape(rows, LINE));
        }
        shapes.add(new Shape(PAIRS, LINE));
        return shapes;
    }
}
