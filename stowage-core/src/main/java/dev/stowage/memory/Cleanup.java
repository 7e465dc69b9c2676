package dev.stowage.memory;

import org.jspecify.annotations.Nullable;

/** Closes several buffers, all of them even if one fails. */
final class Cleanup {

    private Cleanup() {}

    /** Closes all; the first failure is thrown at the end, with the later ones suppressed in it. */
    static void closeAll(Iterable<Buffer> buffers) {
        @Nullable Throwable failure = null;
        for (Buffer buffer : buffers) {
            try {
                buffer.close();
            } catch (RuntimeException | Error e) {
                if (failure == null) {
                    failure = e;
                } else {
                    suppress(e, failure);
                }
            }
        }
        switch (failure) {
            case null -> {}
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new AssertionError(failure);
        }
    }

    /** Closes all after a failure; failures to close are added to it as suppressed. */
    static void closeAll(Iterable<Buffer> buffers, Throwable because) {
        try {
            closeAll(buffers);
        } catch (RuntimeException | Error e) {
            suppress(e, because);
        }
    }

    @SuppressWarnings("ReferenceEquality") // a failure cannot suppress itself, but may well come twice
    private static void suppress(Throwable later, Throwable first) {
        if (later != first) {
            first.addSuppressed(later);
        }
    }
}
