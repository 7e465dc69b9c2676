package dev.stowage.llm.fit;

import dev.stowage.device.Device;
import dev.stowage.memory.BufferType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * In which memory each device keeps results. The processor, which is last, works in host memory that the first accelerator
 * exchanges fastest with the host, where it has such and the processor reads it: inputs and what crosses are stored there.
 * Plans and sessions go by the same answer.
 */
public final class ResultMemory {

    private ResultMemory() {}

    /** The memory of the results of each device, in order. */
    public static List<BufferType> of(List<? extends Device> devices) {
        List<BufferType> types = new ArrayList<>();
        devices.forEach(device -> types.add(device.bufferType()));
        exchanged(devices).ifPresent(pinned -> types.set(types.size() - 1, pinned));
        return List.copyOf(types);
    }

    /** The host memory that the first accelerator exchanges fastest, where one has such and the processor reads it. */
    static Optional<BufferType> exchanged(List<? extends Device> devices) {
        Device processor = devices.getLast();
        return devices.stream()
                .limit(devices.size() - 1L)
                .flatMap(device -> device.hostBufferType().stream())
                .filter(type -> type.isHost() && processor.supportsBufferType(type))
                .findFirst();
    }
}
