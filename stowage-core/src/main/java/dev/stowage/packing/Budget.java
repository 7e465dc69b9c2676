package dev.stowage.packing;

import dev.stowage.error.InvalidPlanException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How long a packer may work and what is good enough. Steps are counted alike on every machine, so an answer under a
 * budget of steps can be repeated; a budget of time is for people who wait. The first limit that is reached ends the
 * work.
 */
public final class Budget {

    private static final Budget UNLIMITED = new Budget(Long.MAX_VALUE, null, -1, _ -> {});

    private final long steps;
    private final @Nullable Duration time;
    private final long capacity;
    private final Consumer<PackingProgress> listener;

    private Budget(long steps, @Nullable Duration time, long capacity, Consumer<PackingProgress> listener) {
        this.steps = steps;
        this.time = time;
        this.capacity = capacity;
        this.listener = listener;
    }

    /** No limit: work until the best solution is proven to be the best, which may be never. */
    public static Budget unlimited() {
        return UNLIMITED;
    }

    /** At most so many steps: buffers placed or refused a place. */
    public static Budget steps(long steps) {
        return UNLIMITED.withSteps(steps);
    }

    /** At most so long, from the call of {@link Packer#pack}. */
    public static Budget time(Duration time) {
        return UNLIMITED.withTime(time);
    }

    /** The same, with at most so many steps. */
    public Budget withSteps(long limit) {
        if (limit < 0) {
            throw new InvalidPlanException("a budget of " + limit + " steps is less than none; give 0 or more");
        }
        return new Budget(limit, time, capacity, listener);
    }

    /** The same, with at most so much time. */
    public Budget withTime(Duration limit) {
        if (limit.isNegative()) {
            throw new InvalidPlanException("a budget of " + limit + " is less than no time; give zero or more");
        }
        return new Budget(steps, limit, capacity, listener);
    }

    /** The same, where any height up to {@code capacity} is good enough and the question is whether there is one. */
    public Budget withCapacity(long bytes) {
        if (bytes < 0) {
            throw new InvalidPlanException("a capacity of " + bytes + " bytes is less than none; give 0 or more");
        }
        return new Budget(steps, time, bytes, listener);
    }

    /** The same, telling {@code listener} of every better solution and, now and then, that work goes on. */
    public Budget withProgress(Consumer<PackingProgress> progressListener) {
        return new Budget(steps, time, capacity, progressListener);
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

    /** Who wants to know how it goes. */
    public Consumer<PackingProgress> listener() {
        return listener;
    }
}
