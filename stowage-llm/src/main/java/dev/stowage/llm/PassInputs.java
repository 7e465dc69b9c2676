package dev.stowage.llm;

import dev.stowage.models.DecoderGraph;
import dev.stowage.models.KeyValueCache;
import dev.stowage.models.TransformerInputs;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * What is written into the inputs of one graph before it runs: kept as arrays that are filled and written again each
 * time, so that a token costs no garbage.
 */
final class PassInputs {

    private static final short HALF_MINUS_INFINITY = (short) 0xFC00;

    private final TransformerInputs inputs;
    private final KeyValueCache cache;
    private final int cells;
    private final int[] tokens;
    private final int[] positions;
    private final long[] keyCells;
    private final long[] valueCells;
    private final short[] halfMask;
    private final float[] mask;
    private final int[] outputs;
    /** The sequence of the token whose cells were set last. */
    private int lastSequence;

    private final MemorySegment tokenBytes;
    private final MemorySegment positionBytes;
    private final MemorySegment keyCellBytes;
    private final MemorySegment valueCellBytes;
    private final MemorySegment maskBytes;
    private final MemorySegment outputBytes;
    private final @Nullable MemorySegment keyRotation;
    private final @Nullable MemorySegment valueRotation;

    PassInputs(DecoderGraph graph, KeyValueCache cache) {
        this.inputs = graph.inputs();
        this.cache = cache;
        int count = graph.pass().tokens();
        this.cells = graph.pass().cells();
        this.tokens = new int[count];
        this.positions = new int[count];
        this.keyCells = new long[count];
        this.valueCells = cache.isForFlash()
                ? keyCells
                : new long[Math.toIntExact(inputs.valueCells().shape().elements())];
        int shares = Math.multiplyExact(cells, count);
        this.halfMask = new short[cache.isForFlash() ? shares : 0];
        this.mask = new float[cache.isForFlash() ? 0 : shares];
        this.outputs = new int[graph.pass().outputs()];
        this.tokenBytes = MemorySegment.ofArray(tokens);
        this.positionBytes = MemorySegment.ofArray(positions);
        this.keyCellBytes = MemorySegment.ofArray(keyCells);
        this.valueCellBytes = MemorySegment.ofArray(valueCells);
        this.maskBytes = cache.isForFlash() ? MemorySegment.ofArray(halfMask) : MemorySegment.ofArray(mask);
        this.outputBytes = MemorySegment.ofArray(outputs);
        this.keyRotation = rotation(inputs.keyRotation());
        this.valueRotation = rotation(inputs.valueRotation());
    }

    /** Takes cells for some tokens of a batch, and sets everything from these. */
    void fill(Batch batch, int from, int to, CacheCells taken) {
        int cell = 0;
        int output = 0;
        for (int i = from; i < to; i++) {
            int sequence = batch.sequence(i);
            int position = taken.length(sequence);
            cell = taken.nextFree(cell);
            taken.take(cell, sequence);
            token(i - from, batch.token(i), position, cell);
            if (batch.wantsLogits(i)) {
                outputs[output++] = i - from;
            }
        }
        for (int i = from; i < to; i++) {
            sees(i - from, batch.sequence(i), taken);
        }
    }

    /** Sets what one token of the pass is, and where its key and value go. */
    private void token(int i, int token, int position, int cell) {
        tokens[i] = token;
        positions[i] = position;
        keyCells[i] = cell;
        if (!cache.isForFlash()) {
            int width = valueCells.length / tokens.length;
            long all = cache.cells();
            for (int j = 0; j < width; j++) {
                valueCells[i * width + j] = j * all + cell;
            }
        }
    }

    /**
     * Sets which cells one token of the pass may look at; all tokens of the pass must have taken theirs, and those before
     * it must have been set.
     */
    private void sees(int i, int sequence, CacheCells taken) {
        int position = positions[i];
        int row = i * cells;
        if (i > 0 && sequence == lastSequence && position == positions[i - 1] + 1) {
            seesOneMore(i);
        } else if (cache.isForFlash()) {
            for (int cell = 0; cell < cells; cell++) {
                halfMask[row + cell] = taken.isSeen(cell, sequence, position) ? 0 : HALF_MINUS_INFINITY;
            }
        } else {
            for (int cell = 0; cell < cells; cell++) {
                mask[row + cell] = taken.isSeen(cell, sequence, position) ? 0f : Float.NEGATIVE_INFINITY;
            }
        }
        lastSequence = sequence;
    }

    /** The next token of a sequence sees what the one before it does, and itself. */
    private void seesOneMore(int i) {
        int row = i * cells;
        int own = row + Math.toIntExact(keyCells[i]);
        if (cache.isForFlash()) {
            System.arraycopy(halfMask, row - cells, halfMask, row, cells);
            halfMask[own] = 0;
        } else {
            System.arraycopy(mask, row - cells, mask, row, cells);
            mask[own] = 0f;
        }
    }

    /** Writes everything to where the inputs of the graph are stored. */
    void write(BoundSchedule bound, HostStaging staging) {
        write(bound, staging, inputs.tokens(), tokenBytes);
        write(bound, staging, inputs.positions(), positionBytes);
        write(bound, staging, inputs.keyCells(), keyCellBytes);
        write(bound, staging, inputs.valueCells(), valueCellBytes);
        write(bound, staging, inputs.mask(), maskBytes);
        write(bound, staging, inputs.outputs(), outputBytes);
        write(bound, staging, inputs.keyRotation(), keyRotation);
        write(bound, staging, inputs.valueRotation(), valueRotation);
    }

    private static void write(
            BoundSchedule bound, HostStaging staging, @Nullable Tensor tensor, @Nullable MemorySegment bytes) {
        if (tensor != null && bytes != null) {
            staging.write(bound.tensor(tensor), bound.backendOf(tensor), bytes);
        }
    }

    /**
     * A Hadamard matrix, which rotates vectors without changing their lengths, and is its own inverse: entry {@code (i,
     * j)} is negative where {@code i & j} has an odd number of bits.
     */
    private static @Nullable MemorySegment rotation(@Nullable Tensor tensor) {
        if (tensor == null) {
            return null;
        }
        int size = Math.toIntExact(tensor.dim(0));
        float[] entries = new float[size * size];
        float unit = 1f / (float) Math.sqrt(size);
        for (int i = 0; i < size; i++) {
            for (int j = 0; j < size; j++) {
                entries[i * size + j] = (Integer.bitCount(i & j) & 1) == 0 ? unit : -unit;
            }
        }
        return MemorySegment.ofArray(entries);
    }
}
