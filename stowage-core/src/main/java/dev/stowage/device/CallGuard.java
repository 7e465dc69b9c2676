package dev.stowage.device;

import dev.stowage.error.DeviceException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Lets one thread at a time into the calls of a backend, and refuses others instead of having them wait. */
final class CallGuard {

    private final AtomicReference<@Nullable Thread> inside = new AtomicReference<>();

    /** The failure of a call while a thread is inside another. */
    DeviceException inUse(Backend backend, String call) {
        return DeviceException.of(
                backend.name(),
                call,
                "the backend is in use by thread '" + inside.get()
                        + "': a backend takes calls from one thread at a time");
    }

    boolean tryEnter() {
        return inside.compareAndSet(null, Thread.currentThread());
    }

    void leave() {
        inside.setRelease(null);
    }
}
