package dev.stowage.llm;

import dev.stowage.models.TransformerInputs;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/** Where the keys and values of a pass go in one kind of layers, and which cells its tokens look at there. */
final class CellInputs {

    private static final short HALF_MINUS_INFINITY = (short) 0xFC00;

    private final int rowCells;
    private final int allCells;
    private final boolean flash;
    private final int tokens;
    private final long[] keyCells;
    private final long[] valueCells;
    private final short[] halfMask;
    private final float[] mask;

    /**
     * @param allCells how many cells the caches of such layers have
     */
    CellInputs(TransformerInputs.Cells inputs, int allCells, boolean flash, InputWriter.Builder written) {
        this.rowCells = Math.toIntExact(inputs.mask().dim(0));
        this.allCells = allCells;
        this.flash = flash;
        this.tokens = Math.toIntExact(inputs.mask().dim(1));
        Tensor keys = inputs.keys();
        Tensor values = inputs.values();
        this.keyCells = new long[keys == null ? 0 : tokens];
        this.valueCells = flash || values == null
                ? keyCells
                : new long[Math.toIntExact(values.shape().elements())];
        int shares = Math.multiplyExact(rowCells, tokens);
        this.halfMask = new short[flash ? shares : 0];
        this.mask = new float[flash ? 0 : shares];
        if (keys != null && values != null) {
            written.add(keys, MemorySegment.ofArray(keyCells)).add(values, MemorySegment.ofArray(valueCells));
        }
        written.add(inputs.mask(), flash ? MemorySegment.ofArray(halfMask) : MemorySegment.ofArray(mask));
    }

    /** Sets where the key and value of one token of the pass go, if they are kept. */
    void place(int i, int cell) {
        if (keyCells.length == 0) {
            return;
        }
        keyCells[i] = cell;
        if (!flash) {
            int width = valueCells.length / tokens;
            for (int j = 0; j < width; j++) {
                valueCells[i * width + j] = (long) j * allCells + cell;
            }
        }
    }

    /** Has one token of the pass look at the cells that have positions of a sequence, from one to another. */
    void see(int i, CellTable table, int sequence, int first, int last) {
        int row = i * rowCells;
        if (flash) {
            for (int cell = 0; cell < rowCells; cell++) {
                halfMask[row + cell] = table.has(cell, sequence, first, last) ? 0 : HALF_MINUS_INFINITY;
            }
        } else {
            for (int cell = 0; cell < rowCells; cell++) {
                mask[row + cell] = table.has(cell, sequence, first, last) ? 0f : Float.NEGATIVE_INFINITY;
            }
        }
    }

    /** Has one token see what the one before it does, and itself. */
    void seeOneMore(int i) {
        seeSame(i);
        seeItself(i);
    }

    /** Has one token see what the one before it does. */
    void seeSame(int i) {
        int row = i * rowCells;
        if (flash) {
            System.arraycopy(halfMask, row - rowCells, halfMask, row, rowCells);
        } else {
            System.arraycopy(mask, row - rowCells, mask, row, rowCells);
        }
    }

    /** Has one token see itself too. */
    void seeItself(int i) {
        int share = i * rowCells + Math.toIntExact(keyCells[i]);
        if (flash) {
            halfMask[share] = 0;
        } else {
            mask[share] = 0f;
        }
    }
}
