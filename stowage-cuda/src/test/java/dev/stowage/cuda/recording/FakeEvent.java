package dev.stowage.cuda.recording;

import org.jspecify.annotations.Nullable;

/** An event of a driver without a GPU: points to the mark it was last recorded as. */
final class FakeEvent {

    /** A place in a stream. */
    static final class Mark {

        private final FakeStream stream;
        private boolean reached;
        private long nanos;

        Mark(FakeStream stream) {
            this.stream = stream;
        }

        void reach(long now) {
            reached = true;
            nanos = now;
        }

        boolean isReached() {
            return reached;
        }

        long nanos() {
            return nanos;
        }

        /** Does the work before it. */
        void await() {
            while (!reached && stream.step()) {
                // the work is in the condition
            }
        }

        /** Lets the stream do a little, so that asking again and again ends. */
        boolean poll() {
            return reached || !stream.step() || reached;
        }
    }

    private @Nullable Mark mark;

    void record(Mark newMark) {
        mark = newMark;
    }

    @Nullable
    Mark mark() {
        return mark;
    }
}
