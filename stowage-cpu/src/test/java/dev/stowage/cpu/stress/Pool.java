package dev.stowage.cpu.stress;

import dev.stowage.error.StowageException;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** Objects of one kind that all threads use and close, no matter which of them opened it: a few places, some of them empty. */
final class Pool<T extends AutoCloseable> {

    private final AtomicReferenceArray<@Nullable T> places;
    /** What has refused to be closed, as another thread was using it. */
    private final Queue<T> busy = new ConcurrentLinkedQueue<>();

    Pool(int size) {
        this.places = new AtomicReferenceArray<>(size);
    }

    Optional<T> any(Random random) {
        return Optional.ofNullable(places.get(random.nextInt(places.length())));
    }

    /** Puts one where another may be, which is closed, or stays open for those that still use it. */
    void put(Random random, T object) throws Exception {
        T before = places.getAndSet(random.nextInt(places.length()), object);
        if (before != null) {
            close(before);
        }
    }

    /** Closes one; it may stay in its place, for others to find it closed. */
    void closeAny(Random random) throws Exception {
        int place = random.nextInt(places.length());
        T object = random.nextBoolean() ? places.get(place) : places.getAndSet(place, null);
        if (object != null) {
            close(object);
        }
    }

    private void close(T object) throws Exception {
        try {
            object.close();
        } catch (StowageException | IllegalStateException e) {
            busy.add(object);
            throw e;
        }
    }

    /** Closes all that are left, when no thread uses them any more. */
    void closeAll() throws Exception {
        for (int place = 0; place < places.length(); place++) {
            T object = places.getAndSet(place, null);
            if (object != null) {
                object.close();
            }
        }
        for (T object : busy) {
            object.close();
        }
    }
}
