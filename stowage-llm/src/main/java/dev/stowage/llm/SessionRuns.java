package dev.stowage.llm;

import dev.stowage.error.StowageException;
import dev.stowage.llm.BoundPasses.BoundPass;
import dev.stowage.llm.fit.SessionShape;
import dev.stowage.models.TokenChoice;
import dev.stowage.schedule.BoundSchedule;

/**
 * Runs batches in a session, as many tokens at a time as memory was taken for. Sequences that have lost their window are read
 * again first. A batch of an encoder is run at once, and its sequences are empty afterwards: there is nothing to go on from.
 */
final class SessionRuns {

    private static final int NONE = -1;

    private final int batchSize;
    private final boolean pipelined;
    private final boolean encodes;
    private final CacheCells cells;
    private final int[] lengthsBefore;
    private final SessionResources resources;
    private final BoundPasses passes;
    private final PassOutputs outputs;
    private final SessionGate gate;

    /** The sequence that is being read again. */
    private int reading = NONE;

    SessionRuns(
            int batchSize,
            boolean pipelined,
            boolean encodes,
            CacheCells cells,
            SessionResources resources,
            BoundPasses passes,
            PassOutputs outputs,
            SessionGate gate) {
        this.batchSize = batchSize;
        this.pipelined = pipelined;
        this.encodes = encodes;
        this.cells = cells;
        this.lengthsBefore = new int[cells.sequences()];
        this.resources = resources;
        this.passes = passes;
        this.outputs = outputs;
        this.gate = gate;
    }

    /** Runs all tokens of a batch, which was checked; whatever is thrown, sequences are as they were. */
    void run(Batch batch) {
        for (int sequence = 0; sequence < lengthsBefore.length; sequence++) {
            lengthsBefore[sequence] = cells.length(sequence);
        }
        outputs.clear();
        resources.staging().release();
        try {
            for (int i = 0; i < batch.size(); i++) {
                if (cells.needsReading(batch.sequence(i))) {
                    readAgain(batch.sequence(i));
                }
            }
            for (int from = 0; from < batch.size(); from += batchSize) {
                gate.requireOpen();
                run(batch, from, Math.min(batch.size(), from + batchSize));
            }
            if (pipelined) {
                resources.scheduler().synchronize();
            }
            if (encodes) {
                cells.clear();
            }
        } catch (StowageException e) {
            forget();
            gate.requireOpenAfter(e);
            throw e;
        } catch (RuntimeException | Error e) {
            forget();
            throw e;
        }
    }

    /**
     * Takes out what a run that failed has put in. A sequence that was read again may have been read in part; where its
     * length is the one before, it is read once more.
     */
    private void forget() {
        outputs.clear();
        for (int sequence = 0; sequence < lengthsBefore.length; sequence++) {
            cells.truncate(sequence, lengthsBefore[sequence]);
        }
        if (reading != NONE) {
            cells.window().orElseThrow().truncate(reading, 0);
            reading = NONE;
        }
    }

    /** Reads the tokens of a sequence that has lost its window, into the cells that they have. */
    private void readAgain(int sequence) {
        WindowCells window = cells.window().orElseThrow();
        int length = cells.length(sequence);
        int[] own = cells.table().cellsOf(sequence, length);
        reading = sequence;
        while (window.length(sequence) < length) {
            gate.requireOpen();
            int tokens = Math.min(batchSize, length - window.length(sequence));
            window.makeRoom(tokens);
            BoundPass pass =
                    passes.of(tokens, seen(cells.table(), 0), seen(window.table(), tokens), 1, TokenChoice.LARGEST);
            pass.inputs().fillAgain(sequence, own, cells);
            submit(pass);
            resources.scheduler().synchronize();
        }
        reading = NONE;
    }

    /** How many cells a pass looks at: a multiple of the step, so that one graph serves many tokens. */
    private static int seen(CellTable table, int tokens) {
        int step = SessionShape.CELL_STEP;
        return Math.min(table.count(), Math.ceilDiv(Math.max(1, table.endWith(tokens)), step) * step);
    }

    private void run(Batch batch, int from, int to) {
        int wanted = 0;
        for (int i = from; i < to; i++) {
            wanted += batch.wantsLogits(i) ? 1 : 0;
        }
        int tokens = to - from;
        cells.window().ifPresent(window -> window.makeRoom(tokens));
        int all = encodes ? tokens : seen(cells.table(), tokens);
        int inWindow =
                cells.window().map(window -> seen(window.table(), tokens)).orElse(all);
        BoundPass pass = passes.of(tokens, all, inWindow, Math.max(1, wanted), batch.choice());
        pass.inputs().fill(batch, from, to, cells);
        submit(pass);
        if (wanted > 0 || !pipelined) {
            outputs.collect(pass, wanted);
        }
    }

    private void submit(BoundPass pass) {
        BoundSchedule bound = pass.bound();
        bound.advance();
        pass.inputs().write(bound, resources.staging());
        bound.runAsync();
    }
}
