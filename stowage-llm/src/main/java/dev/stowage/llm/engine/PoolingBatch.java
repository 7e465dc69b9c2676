package dev.stowage.llm.engine;

import dev.stowage.llm.Batch;
import dev.stowage.llm.Session;
import dev.stowage.llm.engine.EngineStatus.SlotState;
import java.util.Comparator;
import java.util.List;

/**
 * Reads texts whose vectors are wanted. A decoder goes on in the oldest of them, in pieces; an encoder reads all there are
 * at once and whole, for which there is room, as slots begin only where there is.
 */
final class PoolingBatch {

    private final Session session;
    private final List<Slot> slots;
    private final boolean encodes;
    private final int batchSize;
    private final int piece;

    /**
     * @param encodes whether the model is an encoder
     * @param batchSize how many tokens go through the model at once
     * @param piece how many tokens of a decoder's texts are read at once while others generate
     */
    PoolingBatch(Session session, List<Slot> slots, boolean encodes, int batchSize, int piece) {
        this.session = session;
        this.slots = slots;
        this.encodes = encodes;
        this.batchSize = batchSize;
        this.piece = piece;
    }

    /** Fills a batch that gives states; returns how many of its tokens each slot has. */
    int[] fill(Batch batch) {
        int[] counts = new int[slots.size()];
        batch.clear().states();
        boolean isAlone = slots.stream().noneMatch(slot -> slot.state() == SlotState.GENERATING);
        for (Slot slot : next()) {
            Pooler pooler = slot.job().pooler().orElseThrow();
            int most = encodes ? Integer.MAX_VALUE : pooler.most(batchSize);
            int count = Math.min(isAlone ? most : Math.min(most, piece), slot.unread());
            for (int i = 0; i < count; i++) {
                batch.add(slot.unread(i), slot.sequence(), pooler.wants(i));
            }
            counts[slot.sequence()] = count;
        }
        return counts;
    }

    private List<Slot> next() {
        return slots.stream()
                .filter(slot -> slot.unread() > 0 && slot.job().pooler().isPresent())
                .sorted(Comparator.comparingLong(slot -> slot.job().completion().number()))
                .limit(encodes ? slots.size() : 1)
                .toList();
    }

    /** Takes the states of the batch, which has run. */
    void collect(int[] counts) {
        int output = 0;
        for (Slot slot : next()) {
            output = slot.job().pooler().orElseThrow().add(session, output, counts[slot.sequence()]);
        }
    }
}
