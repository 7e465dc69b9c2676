package dev.stowage.serve.http;

import dev.stowage.serve.wire.ApiError;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Reads bodies, each and all of them together within a limit, however many there are at once. What a body becomes takes many
 * times its length for a moment (values of JSON, tokens), so of large bodies one at a time is worked on.
 */
final class BodyBudget {

    private static final int PIECE = 16 << 10;

    /** Bodies of more bytes take turns. */
    private static final int LARGE = 128 << 10;

    private final HttpLimits limits;
    private final Semaphore turn = new Semaphore(1, true);
    private final AtomicLong taken = new AtomicLong();

    BodyBudget(HttpLimits limits) {
        this.limits = limits;
    }

    /** A body, whose bytes count until it is closed. */
    final class Body implements AutoCloseable {

        private byte[] bytes = new byte[0];
        private long counted;
        private boolean hasTurn;

        /**
         * Reads all of it.
         *
         * @param announced how long it is, by its header; -1 where there is none
         * @throws ApiError if it is too long, or comes too slowly
         * @throws IOException if the client is gone
         */
        byte[] read(InputStream in, long announced) throws IOException {
            if (announced > limits.bodyBytes()) {
                throw tooLong();
            }
            long start = System.nanoTime();
            int size = 0;
            while (true) {
                if (size == bytes.length) {
                    grow(announced);
                }
                int count = read(in, size);
                if (count < 0) {
                    bytes = Arrays.copyOf(bytes, size);
                    awaitTurn();
                    return bytes;
                }
                size += count;
                if (size > limits.bodyBytes()) {
                    throw tooLong();
                }
                if (System.nanoTime() - start > limits.longest(size).toNanos()) {
                    throw tooSlow();
                }
            }
        }

        private int read(InputStream in, int size) throws IOException {
            try {
                return in.read(bytes, size, bytes.length - size);
            } catch (IOException e) {
                if (e.getCause() instanceof TimeoutException) {
                    throw tooSlow();
                }
                throw e;
            }
        }

        private ApiError tooSlow() {
            return ApiError.slow(
                    "the body comes too slowly: after " + limits.idle().toSeconds()
                            + " seconds it must have come with at least " + limits.slowestBody() + " bytes a second");
        }

        /** As long as it is announced, and a byte more to see its end; but not before anything has come. */
        private void grow(long announced) {
            int length = bytes.length == 0
                    ? PIECE
                    : announced > bytes.length
                            ? (int) Math.min(announced + 1, 4L * bytes.length)
                            : (int) Math.min(2L * bytes.length, limits.bodyBytes() + 1L);
            int more = length - bytes.length;
            if (taken.addAndGet(more) > limits.allBodyBytes()) {
                taken.addAndGet(-more);
                throw ApiError.busy("too many large requests are being read at once: try again later");
            }
            counted += more;
            bytes = Arrays.copyOf(bytes, length);
        }

        private void awaitTurn() {
            if (bytes.length > LARGE) {
                turn.acquireUninterruptibly();
                hasTurn = true;
            }
        }

        /** What the body says is known, and small. */
        void endTurn() {
            if (hasTurn) {
                hasTurn = false;
                turn.release();
            }
        }

        private ApiError tooLong() {
            return ApiError.tooLarge("the body is longer than " + limits.bodyBytes() + " bytes");
        }

        @Override
        public void close() {
            endTurn();
            taken.addAndGet(-counted);
            counted = 0;
        }
    }

    Body open() {
        return new Body();
    }
}
