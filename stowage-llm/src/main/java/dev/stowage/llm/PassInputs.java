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

    private final int[] tokens;
    private final int[] positions;
    private final int[] sequences;
    private final @Nullable CellInputs cells;
    private final @Nullable CellInputs window;
    private final int[] outputs;
    private final float[] random;
    private final boolean encodes;
    private final InputWriter writer;

    /** The sequence of the token whose cells were set last, and which state of the cache that was. */
    private int lastSequence;

    private int lastPosition;
    private long lastChange = -1;

    /**
     * @param encodes whether tokens look at all tokens of their text, and not at those before them alone
     */
    PassInputs(DecoderGraph graph, KeyValueCache cache, boolean encodes) {
        this.encodes = encodes;
        TransformerInputs inputs = graph.inputs();
        boolean flash = cache.isForFlash();
        int count = graph.pass().tokens();
        this.tokens = new int[count];
        this.positions = new int[count];
        this.sequences = new int[count];
        this.outputs = new int[graph.pass().outputs()];
        this.random = new float[inputs.random() == null ? 0 : outputs.length];
        InputWriter.Builder written = InputWriter.builder().add(inputs.tokens(), MemorySegment.ofArray(tokens));
        if (graph.graph().contains(inputs.positions())) {
            written.add(inputs.positions(), MemorySegment.ofArray(positions));
        }
        this.cells = inputs.cells() == null ? null : new CellInputs(inputs.cells(), cache.cells(), flash, written);
        this.window =
                inputs.window() == null ? null : new CellInputs(inputs.window(), cache.windowCells(), flash, written);
        written.add(inputs.outputs(), MemorySegment.ofArray(outputs));
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
        int windowCell = 0;
        int output = 0;
        for (int i = from; i < to; i++) {
            int sequence = batch.sequence(i);
            int position = taken.length(sequence);
            cell = taken.take(cell, sequence, batch.token(i));
            windowCell = token(i - from, batch.token(i), sequence, position, cell, windowCell, taken);
            if (batch.wantsLogits(i)) {
                if (random.length > 0) {
                    random[output] = batch.nextRandom();
                }
                outputs[output++] = i - from;
            }
        }
        see(to - from, taken);
    }

    /** Sets everything for tokens that a sequence has already, and whose window it has lost. */
    void fillAgain(int sequence, int[] cellsOfSequence, CacheCells taken) {
        WindowCells lost = taken.window().orElseThrow();
        int windowCell = 0;
        for (int i = 0; i < tokens.length; i++) {
            int position = lost.length(sequence);
            int cell = cellsOfSequence[position];
            windowCell = token(i, taken.token(cell), sequence, position, cell, windowCell, taken);
        }
        see(tokens.length, taken);
    }

    /** Sets what one token of the pass is and where its key and value go; returns its cell in the window. */
    private int token(int i, int token, int sequence, int position, int cell, int firstWindowCell, CacheCells taken) {
        tokens[i] = token;
        positions[i] = position;
        sequences[i] = sequence;
        if (cells != null) {
            cells.place(i, cell);
        }
        if (window == null) {
            return firstWindowCell;
        }
        int windowCell = taken.window().orElseThrow().take(firstWindowCell, sequence);
        window.place(i, windowCell);
        return windowCell;
    }

    /** Sets which cells the tokens look at; all must have taken theirs. */
    private void see(int count, CacheCells taken) {
        if (cells != null) {
            seeAll(cells, count, taken);
        }
        if (window != null) {
            WindowCells windows = taken.window().orElseThrow();
            for (int i = 0; i < count; i++) {
                window.see(i, windows.table(), sequences[i], windows.firstSeen(positions[i]), positions[i]);
            }
        }
        lastSequence = sequences[count - 1];
        lastPosition = positions[count - 1];
        lastChange = taken.changes();
    }

    private void seeAll(CellInputs all, int count, CacheCells taken) {
        if (encodes) {
            seeTexts(all, count, taken);
            return;
        }
        if (count == 1 && continuesLast(taken)) {
            all.seeItself(0);
            return;
        }
        for (int i = 0; i < count; i++) {
            if (i > 0 && sequences[i] == sequences[i - 1] && positions[i] == positions[i - 1] + 1) {
                all.seeOneMore(i);
            } else {
                all.see(i, taken.table(), sequences[i], 0, positions[i]);
            }
        }
    }

    /** Has every token look at all of its sequence. */
    private void seeTexts(CellInputs all, int count, CacheCells taken) {
        for (int i = 0; i < count; i++) {
            if (i > 0 && sequences[i] == sequences[i - 1]) {
                all.seeSame(i);
            } else {
                all.see(i, taken.table(), sequences[i], 0, Integer.MAX_VALUE);
            }
        }
    }

    /** Whether the only token of a pass follows the only token that the pass had last, and may look at one more cell. */
    private boolean continuesLast(CacheCells taken) {
        return lastChange == taken.changes() && lastSequence == sequences[0] && positions[0] == lastPosition + 1;
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
