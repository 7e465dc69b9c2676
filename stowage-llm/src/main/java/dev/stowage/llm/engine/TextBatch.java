package dev.stowage.llm.engine;

import dev.stowage.llm.Batch;
import dev.stowage.llm.engine.EngineStatus.SlotState;
import java.util.ArrayList;
import java.util.List;

/** The next token of every slot that generates, and pieces of the prompts that are being read ({@link PromptShares}). */
final class TextBatch {

    private final List<Slot> slots;
    private final int batchSize;
    private final int piece;

    /** The slots that get a token by the batch, in the order of the outputs. */
    private final List<Slot> outputs = new ArrayList<>();

    /**
     * @param batchSize how many tokens go through the model at once
     * @param piece how many tokens of prompts are read at once while others generate
     */
    TextBatch(List<Slot> slots, int batchSize, int piece) {
        this.slots = slots;
        this.batchSize = batchSize;
        this.piece = piece;
    }

    /** The slots that get a token by the batch that was filled last, in the order of its outputs. */
    List<Slot> outputs() {
        return outputs;
    }

    /** Fills a batch that gives logits, or tokens where all want the most probable; returns how many each slot has in it. */
    int[] fill(Batch batch) {
        int[] counts = new int[slots.size()];
        outputs.clear();
        batch.clear();
        addGenerating(batch, counts);
        addPrompts(batch, counts);
        batch.greedy(outputs.stream().allMatch(slot -> slot.job().request().isPlainGreedy()));
        return counts;
    }

    private void addGenerating(Batch batch, int[] counts) {
        for (Slot slot : slots) {
            if (slot.state() == SlotState.GENERATING) {
                batch.add(slot.pending(), slot.sequence(), true);
                outputs.add(slot);
                counts[slot.sequence()] = 1;
            }
        }
    }

    private void addPrompts(Batch batch, int[] counts) {
        int room = batch.size() == 0 ? batchSize : Math.min(piece, batchSize - batch.size());
        int[] unread = slots.stream()
                .mapToInt(slot -> slot.isIdle() || slot.job().pooler().isPresent() ? 0 : slot.unread())
                .toArray();
        int[] shares = PromptShares.divide(unread, Math.max(1, room));
        for (Slot slot : slots) {
            int share = shares[slot.sequence()];
            for (int i = 0; i < share; i++) {
                batch.add(slot.unread(i), slot.sequence(), i + 1 == slot.unread());
            }
            if (share > 0 && share == slot.unread()) {
                outputs.add(slot);
            }
            counts[slot.sequence()] += share;
        }
    }
}
