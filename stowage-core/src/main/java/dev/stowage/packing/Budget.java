package dev.stowage.packing;

import dev.stowage.error.InvalidPlanException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a packer, and what is good enough. A budget in steps gives reproducible results on every machine; a
 * budget in time bounds the wait. The first limit that is reached ends the search.
 */
public final class Budget {

    private static final Budget UNLIMITED = new Budget(Long.MAX_VALUE, null, -1, _ -> {}, () -> false);

    private final long steps;
    private final @Nullable Duration time;
    private final long capacity;
    private final Consumer<PackingProgress> listener;
    private final BooleanSupplier cancelled;

    private Budget(
            long steps,
            @Nullable Duration time,
            long capacity,
            Consumer<PackingProgress> listener,
            BooleanSupplier cancelled) {
        this.steps = steps;
        this.time = time;
        this.capacity = capacity;
        this.listener = listener;
        this.cancelled = cancelled;
    }

    /** No limit: search until a solution is proven optimal, which may take forever. */
    public static Budget unlimited() {
        return UNLIMITED;
    }

    /**
     * A limit in steps: buffers placed or rejected, and searches begun. One pass over all buffers is always made, so the
     * fewest steps are two for every buffer.
     */
    public static Budget steps(long steps) {
        return UNLIMITED.withSteps(steps);
    }

    /** A limit in time, from the call of {@link Packer#pack}. */
    public static Budget time(Duration time) {
        return UNLIMITED.withTime(time);
    }

    /** The same with a limit in steps. */
    public Budget withSteps(long limit) {
        if (limit < 0) {
            throw new InvalidPlanException("a budget of " + limit + " steps is less than none; give 0 or more");
        }
        return new Budget(limit, time, capacity, listener, cancelled);
    }

    /** The same with a limit in time. */
    public Budget withTime(Duration limit) {
        if (limit.isNegative()) {
            throw new InvalidPlanException("a budget of " + limit + " is less than no time; give zero or more");
        }
        return new Budget(steps, limit, capacity, listener, cancelled);
    }

    /** The same, where any height up to {@code bytes} is good enough. */
    public Budget withCapacity(long bytes) {
        if (bytes < 0) {
            throw new InvalidPlanException("a capacity of " + bytes + " bytes is less than none; give 0 or more");
        }
        return new Budget(steps, time, bytes, listener, cancelled);
    }

    /** The same, with a listener that receives every better solution and periodic progress. */
    public Budget withProgress(Consumer<PackingProgress> progressListener) {
        return new Budget(steps, time, capacity, progressListener, cancelled);
    }

    /** The same, ended with the best solution so far once {@code cancel} says so; several threads ask it. */
    public Budget withCancel(BooleanSupplier cancel) {
        return new Budget(steps, time, capacity, listener, cancel);
    }

    /** The limit in steps; {@link Long#MAX_VALUE} for none. */
    public long steps() {
        return steps;
    }

    /** The limit in time, if there is one. */
    public Optional<Duration> time() {
        return Optional.ofNullable(time);
    }

    /** The height that is good enough, if one was given. */
    public OptionalLong capacity() {
        return capacity < 0 ? OptionalLong.empty() : OptionalLong.of(capacity);
    }

    /** Whether the caller has cancelled the search. */
    public boolean isCancelled() {
        return cancelled.getAsBoolean();
    }

    /** The progress listener. */
    public Consumer<PackingProgress> listener() {
        return listener;
    }
}
