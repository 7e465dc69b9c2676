package dev.stowage.testkit.simulated;

import dev.stowage.device.DeviceHealth;
import dev.stowage.error.DeviceLostException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The health of a simulated device, and its open streams, which drop their work when it is lost. */
final class StreamRegistry {

    private final String device;
    private final DeviceHealth health = new DeviceHealth();
    private final Set<WorkQueue> streams = ConcurrentHashMap.newKeySet();

    StreamRegistry(String device) {
        this.device = device;
    }

    void lose(Throwable cause) {
        health.lose(cause);
        streams.forEach(this::dropWork);
    }

    private void dropWork(WorkQueue stream) {
        lossCause().ifPresent(cause -> stream.lose(DeviceLostException.of(device, "synchronize", cause)));
    }

    Optional<Throwable> lossCause() {
        return health.lossCause();
    }

    /** Throws if the device is lost. */
    void require(String call) {
        health.require(device, call);
    }

    void opened(WorkQueue stream) {
        streams.add(stream);
        dropWork(stream);
    }

    void closed(WorkQueue stream) {
        streams.remove(stream);
    }

    int openStreams() {
        return streams.size();
    }
}
