package dev.stowage.llm.engine;

import dev.stowage.llm.Session;
import dev.stowage.llm.engine.EngineStatus.SlotState;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds a slot for a request and makes room for it, so that it begins with as much of its prompt as the cache has, and can
 * never run out of cells: a request begins only when all it may need is free or held for it.
 *
 * <p>The beginning comes from the slot that has most of it, at work or not. Cells are shared, not copied. A slot at rest
 * goes on where its tokens differ; to keep these for others, an empty one takes its place if there is room. Where another
 * request is reading the same beginning, the new one waits for it.
 */
final class SlotChoice {

    /** It is worth waiting for another slot to read so many tokens. */
    private static final int WORTH_WAITING = 32;

    private static final Comparator<Slot> LEAST_RECENTLY_USED =
            Comparator.<Slot>comparingInt(slot -> slot.cached() == 0 ? 0 : 1).thenComparingLong(Slot::lastUse);

    private final Session session;
    private final List<Slot> slots;

    SlotChoice(Session session, List<Slot> slots) {
        this.session = session;
        this.slots = slots;
    }

    /** Begins a request in a slot; says whether there was one, and room. */
    boolean begin(Job job, long step) {
        Optional<Slot> idle = idle(null, 0);
        if (idle.isEmpty()) {
            return false;
        }
        int[] prompt = job.request().sharedPrompt();
        Slot source = null;
        int shared = 0;
        Slot leader = null;
        int later = 0;
        for (Slot slot : job.request().sharesCache() ? slots : List.<Slot>of()) {
            int now = Math.min(slot.sharedWith(prompt), prompt.length - 1);
            if (now > shared) {
                source = slot;
                shared = now;
            }
            int then = Math.min(slot.willShareWith(prompt), prompt.length - 1);
            if (then > later) {
                leader = slot;
                later = then;
            }
        }
        Slot target = target(idle.get(), source, shared, job.limit());
        cut(target, target.equals(source) ? shared : 0);
        while (spare() < job.limit() - shared) {
            Optional<Slot> victim = idle(target, 1);
            if (victim.isEmpty()) {
                return false;
            }
            cut(victim.get(), 0);
            if (victim.get().equals(source)) {
                source = null;
                shared = 0;
            }
        }
        if (leader != null && later >= shared + WORTH_WAITING) {
            cut(target, 0);
            target.await(job, leader, later);
        } else {
            share(source, target, shared);
            target.begin(job, shared, step);
        }
        return true;
    }

    /** Where a request goes that begins like a source: there, or to an empty slot so that both stay. */
    private Slot target(Slot leastRecent, @Nullable Slot source, int shared, int limit) {
        if (source == null || !source.isIdle()) {
            return leastRecent;
        }
        boolean keepsBoth = shared < source.cached() && leastRecent.cached() == 0 && spare() >= limit - shared;
        return keepsBoth ? leastRecent : source;
    }

    /** Has a request that waited begin, if what it waited for has been read or will not be. */
    void resume(Slot slot) {
        Slot leader = slot.leader();
        if (leader.state() == SlotState.READING && leader.cached() < slot.awaited()) {
            return;
        }
        int[] prompt = slot.job().request().sharedPrompt();
        int shared = Math.min(leader.sharedWith(prompt), prompt.length - 1);
        share(leader, slot, shared);
        slot.resume(shared);
    }

    private void share(@Nullable Slot source, Slot target, int shared) {
        if (source != null && !source.equals(target) && shared > 0) {
            session.fork(source.sequence(), target.sequence());
            session.truncate(target.sequence(), shared);
            target.forked(source, shared);
        }
    }

    private void cut(Slot slot, int length) {
        if (slot.cached() > length) {
            session.truncate(slot.sequence(), length);
            slot.truncated(length);
        }
    }

    /** Takes all tokens out of a slot at rest, however many the cache has of it. */
    void empty(Slot slot) {
        session.truncate(slot.sequence(), 0);
        slot.truncated(0);
    }

    /** The slot at rest that matters least, other than one, with at least so many tokens. */
    private Optional<Slot> idle(@Nullable Slot other, int tokens) {
        return slots.stream()
                .filter(slot -> slot.isIdle() && !slot.equals(other) && slot.cached() >= tokens)
                .min(LEAST_RECENTLY_USED);
    }

    /** How many cells are free, without those that requests at work may still take. */
    private int spare() {
        int spare = session.room();
        for (Slot slot : slots) {
            spare -= slot.reserved();
        }
        return spare;
    }
}
