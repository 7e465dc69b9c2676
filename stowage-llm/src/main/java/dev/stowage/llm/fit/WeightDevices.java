package dev.stowage.llm.fit;

import dev.stowage.device.Device;
import dev.stowage.memory.BufferType;
import java.util.List;
import java.util.Optional;

/**
 * The devices of a model, as far as the memory of its weights depends on them.
 *
 * @param devices the devices in order, the processor last
 * @param offloads whether a device computes with weights of the processor where many tokens share them, and fetches them
 *     for that from host memory
 */
public record WeightDevices(List<Device> devices, boolean offloads) {

    public WeightDevices {
        devices = List.copyOf(devices);
    }

    /** The device of that number. */
    public Device device(int number) {
        return devices.get(number);
    }

    /**
     * The host memory that weights of a device are fetched from by another one; empty where none does. It is that of the
     * first device that has such memory which the processor reads too.
     */
    Optional<BufferType> fetchedFrom(int number) {
        return offloads && number == devices.size() - 1 ? ResultMemory.exchanged(devices) : Optional.empty();
    }
}
