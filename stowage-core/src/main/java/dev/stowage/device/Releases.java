package dev.stowage.device;

import dev.stowage.error.StowageException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Releases several resources of a device, all of them even if one fails. Failures on a lost device are ignored, as its
 * resources are gone with it.
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
