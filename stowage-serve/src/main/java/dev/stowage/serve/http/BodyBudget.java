package dev.stowage.serve.http;

import dev.stowage.serve.wire.ApiError;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/** Reads bodies, each and all of them together within a limit, however many there are at once. */
final class BodyBudget {

    private static final int PIECE = 16 << 10;

    private final HttpLimits limits;
    private final AtomicLong taken = new AtomicLong();

    BodyBudget(HttpLimits limits) {
        this.limits = limits;
    }

    /** A body, whose bytes count until it is closed. */
    final class Body implements AutoCloseable {

        private byte[] bytes = new byte[0];
        private long counted;

        /**
         * Reads all of it.
         *
         * @param announced how long it is, by its header; -1 where there is none
         * @throws ApiError if it is too long
         * @throws IOException if the client is gone, or too slow
         */
        byte[] read(InputStream in, long announced) throws IOException {
            if (announced > limits.bodyBytes()) {
                throw tooLong();
            }
            int size = 0;
            while (true) {
                if (size == bytes.length) {
                    grow(announced);
                }
                int count = in.read(bytes, size, bytes.length - size);
                if (count < 0) {
                    bytes = Arrays.copyOf(bytes, size);
                    return bytes;
                }
                size += count;
                if (size > limits.bodyBytes()) {
                    throw tooLong();
                }
            }
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

        private ApiError tooLong() {
            return ApiError.tooLarge("the body is longer than " + limits.bodyBytes() + " bytes");
        }

        @Override
        public void close() {
            taken.addAndGet(-counted);
            counted = 0;
        }
    }

    Body open() {
        return new Body();
    }
}
