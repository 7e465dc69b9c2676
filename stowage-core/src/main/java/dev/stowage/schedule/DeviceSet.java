package dev.stowage.schedule;

import dev.stowage.device.Device;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.memory.BufferType;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The devices of a schedule in order of priority, each with the buffer type of its results. The last device has the
 * inputs and every op that no other runs, so it should support all ops; usually it is the CPU. Devices are identified
 * by their number. Immutable.
 */
public final class DeviceSet {

    private final Device[] devices;
    private final BufferType[] types;

    private DeviceSet(List<? extends Device> devices, List<? extends BufferType> types) {
        this.devices = devices.toArray(Device[]::new);
        this.types = types.toArray(BufferType[]::new);
    }

    /** These devices, each with the buffer type it prefers. */
    public static DeviceSet of(Device... devices) {
        return of(Arrays.asList(devices));
    }

    /** These devices, each with the buffer type it prefers. */
    public static DeviceSet of(List<? extends Device> devices) {
        return of(devices, devices.stream().map(Device::bufferType).toList());
    }

    /**
     * These devices, each with the given buffer type.
     *
     * @throws InvalidPlanException if there is no device, or a device cannot use its buffer type
     */
    public static DeviceSet of(List<? extends Device> devices, List<? extends BufferType> types) {
        if (devices.isEmpty() || devices.size() != types.size()) {
            throw new InvalidPlanException(
                    "a schedule needs at least one device and a kind of memory for each, but there are "
                            + devices.size() + " devices and " + types.size() + " kinds of memory");
        }
        DeviceSet set = new DeviceSet(devices, types);
        for (int device = 0; device < set.count(); device++) {
            if (!set.devices[device].supportsBufferType(set.types[device])) {
                throw new InvalidPlanException("device '" + set.name(device) + "' cannot use "
                        + set.types[device].name() + " for its results: give it a kind of memory it supports, such as "
                        + set.devices[device].bufferType().name());
            }
        }
        return set;
    }

    public int count() {
        return devices.length;
    }

    public int last() {
        return devices.length - 1;
    }

    public Device device(int number) {
        return devices[checked(number)];
    }

    public String name(int number) {
        return device(number).name();
    }

    /** The buffer type of the results of a device. */
    public BufferType bufferType(int number) {
        return types[checked(number)];
    }

    public List<BufferType> bufferTypes() {
        return List.of(types);
    }

    public int firstWithSameMemory(int number) {
        return Arrays.asList(types).indexOf(bufferType(number));
    }

    /**
     * The number of a device.
     *
     * @throws InvalidPlanException if it is not among these
     */
    public int numberOf(Device device) {
        int number = Arrays.asList(devices).indexOf(device);
        if (number >= 0) {
            return number;
        }
        throw new InvalidPlanException("device '" + device.name() + "' is not among the devices " + this);
    }

    private int checked(int number) {
        if (number < 0 || number >= devices.length) {
            throw new InvalidPlanException(
                    "there is no device " + number + ": there are " + devices.length + ", counted from 0");
        }
        return number;
    }

    /** The names of the devices, in order. */
    @Override
    public String toString() {
        return Arrays.stream(devices).map(Device::name).collect(Collectors.joining(", ", "[", "]"));
    }
}
