package dev.stowage.device;

import dev.stowage.error.StowageException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gives back several things that belong to a device: all of them, even when one fails to be given back. What a lost device
 * held is gone with it, so that its failures to give something back are not passed on.
 */
final class Releases {

    private Releases() {}

    static void all(Device device, List<Runnable> releases) {
        RuntimeException first = null;
        for (Runnable release : releases) {
            RuntimeException failure = failureOf(device, release);
            if (first == null) {
                first = failure;
            } else if (failure != null) {
                first.addSuppressed(failure);
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private static @Nullable RuntimeException failureOf(Device device, Runnable release) {
        try {
            release.run();
            return null;
        } catch (StowageException failure) {
            return device.lossCause().isPresent() ? null : failure;
        } catch (RuntimeException failure) {
            return failure;
        }
    }
}
