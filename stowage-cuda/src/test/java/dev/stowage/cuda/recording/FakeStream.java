package dev.stowage.cuda.recording;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A stream whose work is done as late as possible: when it is waited for. What is freed, or changed, too early shows in
 * every run then, and not only in some.
 */
final class FakeStream {

    /**
     * A piece of work.
     *
     * @param body does it
     * @param ranges the memory it touches: address and length, one after the other
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Work(Runnable body, long... ranges) {

        /** Whether it touches one of those bytes. */
        boolean touches(long address, long bytes) {
            for (int i = 0; i < ranges.length; i += 2) {
                if (ranges[i] < address + bytes && address < ranges[i] + ranges[i + 1]) {
                    return true;
                }
            }
            return false;
        }
    }

    private final Deque<Work> queue = new ArrayDeque<>();
    private @Nullable List<Work> capture;

    /** Adds work, or records it if the stream is being captured. */
    void add(Work work) {
        if (capture != null) {
            capture.add(work);
        } else {
            queue.add(work);
        }
    }

    void beginCapture() {
        capture = new ArrayList<>();
    }

    boolean isCapturing() {
        return capture != null;
    }

    List<Work> endCapture() {
        List<Work> recorded = capture == null ? List.of() : capture;
        capture = null;
        return recorded;
    }

    boolean isIdle() {
        return queue.isEmpty();
    }

    /** Does the next piece of work, if there is one. */
    boolean step() {
        Work next = queue.poll();
        if (next == null) {
            return false;
        }
        next.body().run();
        return true;
    }

    void finish() {
        while (step()) {
            // the work is in the condition
        }
    }

    /** Gives up what is left, as a device that has failed does. */
    void drop() {
        queue.clear();
        capture = null;
    }

    boolean touches(long address, long bytes) {
        return queue.stream().anyMatch(work -> work.touches(address, bytes));
    }
}
