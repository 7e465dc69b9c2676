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

    private final KeyValueCache cache;
    private final int cells;
    private final int[] tokens;
    private final int[] positions;
    private final long[] keyCells;
    private final long[] valueCells;
    private final short[] halfMask;
    private final float[] mask;
    private final int[] outputs;
    private final float[] random;
    /** The sequence of the token whose cells were set last, and which state of the cache that was. */
    private int lastSequence;

    private int lastPosition;
    private long lastChange = -1;

    private final InputWriter writer;

    PassInputs(DecoderGraph graph, KeyValueCache cache) {
        TransformerInputs inputs = graph.inputs();
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
        this.random = new float[inputs.random() == null ? 0 : outputs.length];
        InputWriter.Builder written = InputWriter.builder()
                .add(inputs.tokens(), MemorySegment.ofArray(tokens))
                .add(inputs.positions(), MemorySegment.ofArray(positions))
                .add(inputs.keyCells(), MemorySegment.ofArray(keyCells))
                .add(inputs.valueCells(), MemorySegment.ofArray(valueCells))
                .add(inputs.mask(), cache.isForFlash() ? MemorySegment.ofArray(halfMask) : MemorySegment.ofArray(mask))
                .add(inputs.outputs(), MemorySegment.ofArray(outputs));
        addRotation(written, inputs.keyRotation());
        addRotation(written, inputs.valueRotation());
        if (inputs.random() != null) {
            written.add(inputs.random(), MemorySegment.ofArray(random));
        }
        this.writer = written.build();
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
                if (random.length > 0) {
                    random[output] = batch.nextRandom();
                }
                outputs[output++] = i - from;
            }
        }
        if (to - from == 1 && continuesLast(batch.sequence(from), taken)) {
            show(Math.toIntExact(keyCells[0]));
        } else {
            for (int i = from; i < to; i++) {
                sees(i - from, batch.sequence(i), taken);
            }
        }
        lastSequence = batch.sequence(to - 1);
        lastPosition = positions[to - from - 1];
        lastChange = taken.changes();
    }

    /** Whether the only token of a pass follows the only token that the pass had last, and may look at one more cell. */
    private boolean continuesLast(int sequence, CacheCells taken) {
        return lastChange == taken.changes() && lastSequence == sequence && positions[0] == lastPosition + 1;
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
        if (cache.isForFlash()) {
            System.arraycopy(halfMask, row - cells, halfMask, row, cells);
        } else {
            System.arraycopy(mask, row - cells, mask, row, cells);
        }
        show(row + Math.toIntExact(keyCells[i]));
    }

    private void show(int share) {
        if (cache.isForFlash()) {
            halfMask[share] = 0;
        } else {
            mask[share] = 0f;
        }
    }

    /** Writes everything to where the inputs of the graph are stored. */
    void write(BoundSchedule bound, HostStaging staging) {
        writer.write(bound, staging);
    }

    private static void addRotation(InputWriter.Builder written, @Nullable Tensor tensor) {
        if (tensor != null) {
            written.add(tensor, rotation(tensor));
        }
    }

    /**
     * A Hadamard matrix, which rotates vectors without changing their lengths, and is its own inverse: entry {@code (i,
     * j)} is negative where {@code i & j} has an odd number of bits.
     */
    private static MemorySegment rotation(Tensor tensor) {
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
