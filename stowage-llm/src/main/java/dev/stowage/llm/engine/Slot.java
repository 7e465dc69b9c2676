package dev.stowage.llm.engine;

import dev.stowage.llm.engine.EngineStatus.SlotState;
import dev.stowage.llm.engine.EngineStatus.SlotStatus;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A sequence of the session, and the request that uses it. Its tokens stay in the cache after the request, for a later one
 * that begins alike.
 *
 * <pre>
 *   IDLE ──► WAITING ──► READING ──► GENERATING ──► IDLE
 *     └──────────────────►
 * </pre>
 */
final class Slot {

    private final int sequence;
    private SlotState state = SlotState.IDLE;
    private @Nullable Job job;
    private @Nullable Slot leader;
    private int awaited;

    /** The tokens in the cache, and after them those of the prompt that are not there yet. */
    private int[] tokens = new int[0];

    private int cached;
    private int pending;
    private long lastUse;
    private SlotStatus last = new SlotStatus(SlotState.IDLE, 0, 0, 0, 0, 0, 0);

    Slot(int sequence) {
        this.sequence = sequence;
    }

    int sequence() {
        return sequence;
    }

    SlotState state() {
        return state;
    }

    boolean isIdle() {
        return state == SlotState.IDLE;
    }

    Job job() {
        return Objects.requireNonNull(job);
    }

    /** How many tokens it has in the cache. */
    int cached() {
        return cached;
    }

    /** When it was last used, as a count of steps. */
    long lastUse() {
        return lastUse;
    }

    /** How many tokens of a prompt it has in the cache, at the beginning. */
    int sharedWith(int[] prompt) {
        int mismatch = Arrays.mismatch(tokens, 0, cached, prompt, 0, prompt.length);
        return mismatch < 0 ? cached : mismatch;
    }

    /** How many tokens of a prompt it will have in the cache once its own prompt is read. */
    int willShareWith(int[] prompt) {
        if (state != SlotState.READING || job().pooler().isPresent()) {
            return 0;
        }
        int[] own = job().request().sharedPrompt();
        int mismatch = Arrays.mismatch(own, prompt);
        return mismatch < 0 ? own.length : mismatch;
    }

    /** How many cells it may still take. */
    int reserved() {
        return job == null ? 0 : job.limit() - cached;
    }

    /** Gives it a request; the cache has {@code kept} tokens of the prompt. */
    void begin(Job begun, int kept, long step) {
        job = begun;
        lastUse = step;
        resume(kept);
    }

    /** Gives it a request that waits until another slot has read so many tokens that both prompts begin with. */
    void await(Job begun, Slot reading, int tokensToShare) {
        job = begun;
        state = SlotState.WAITING;
        leader = reading;
        awaited = tokensToShare;
    }

    /** The slot that it waits for. */
    Slot leader() {
        return Objects.requireNonNull(leader);
    }

    int awaited() {
        return awaited;
    }

    /** Reads the prompt, of which the cache has that many tokens. */
    void resume(int kept) {
        tokens = job().request().sharedPrompt();
        cached = kept;
        job().cached(kept);
        state = SlotState.READING;
        leader = null;
    }

    /** How many tokens of the prompt are to be read. */
    int unread() {
        return state == SlotState.READING ? job().request().promptTokens() - cached : 0;
    }

    /** A token of the prompt that is to be read, counted from the next. */
    int unread(int ahead) {
        return tokens[cached + ahead];
    }

    /** So many tokens of the prompt have been read. */
    void read(int count, long step) {
        cached += count;
        lastUse = step;
        if (unread() == 0) {
            state = SlotState.GENERATING;
        }
    }

    /** The token that was chosen last, which is not in the cache yet. */
    int pending() {
        return pending;
    }

    void setPending(int token) {
        pending = token;
    }

    /** The pending token is in the cache now. */
    void generated(long step) {
        if (tokens.length == cached) {
            // Also where they are those of the request, which nobody changes: the prompt has been read.
            tokens = Arrays.copyOf(tokens, Math.max(16, cached + (cached >> 1) + 1));
        }
        tokens[cached++] = pending;
        lastUse = step;
    }

    /** Takes the request out; the tokens stay. */
    void end() {
        last = status(SlotState.IDLE);
        job = null;
        leader = null;
        state = SlotState.IDLE;
    }

    /** Its sequence has been cut to so many tokens. */
    void truncated(int length) {
        cached = length;
    }

    /** Its sequence has been made to begin like that of another slot. */
    void forked(Slot from, int length) {
        tokens = Arrays.copyOf(from.tokens, length);
        cached = length;
    }

    SlotStatus status() {
        return job == null
                ? new SlotStatus(
                        SlotState.IDLE,
                        last.request(),
                        cached,
                        last.promptTokens(),
                        last.cachedTokens(),
                        last.generatedTokens(),
                        last.limit())
                : status(state);
    }

    private SlotStatus status(SlotState shown) {
        Job current = job();
        return new SlotStatus(
                shown,
                current.completion().number(),
                cached,
                current.request().promptTokens(),
                current.cachedTokens(),
                current.generated(),
                current.limit());
    }
}
