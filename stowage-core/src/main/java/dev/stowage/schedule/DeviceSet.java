package dev.stowage.schedule;

import dev.stowage.device.Device;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.memory.BufferType;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * The devices a graph is spread over, in order of priority, each with the kind of memory its results lie in. The last
 * one is where inputs are and where everything goes that no other takes, so it should be able to run every op; usually it
 * is the processor. Devices are spoken of by their number here. Immutable.
 */
public final class DeviceSet {

    private final Device[] devices;
    private final BufferType[] types;

    private DeviceSet(List<? extends Device> devices, List<? extends BufferType> types) {
        this.devices = devices.toArray(Device[]::new);
        this.types = types.toArray(BufferType[]::new);
    }

    /** These devices, each with the memory it likes best. */
    public static DeviceSet of(Device... devices) {
        return of(Arrays.asList(devices));
    }

    /** These devices, each with the memory it likes best. */
    public static DeviceSet of(List<? extends Device> devices) {
        return of(devices, devices.stream().map(Device::bufferType).toList());
    }

    /**
     * These devices, each with the kind of memory given for it.
     *
     * @throws InvalidPlanException if there is no device, or a device cannot use the memory given for it
     */
    public static DeviceSet of(List<? extends Device> devices, List<? extends BufferType> types) {
        if (devices.isEmpty() || devices.size() != types.size()) {
            throw new InvalidPlanException(
                    "a schedule needs at least one device and a kind of memory for each, but there" + " are "
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

    /** How many devices there are. */
    public int count() {
        return devices.length;
    }

    /** The number of the last device, where inputs are and what no other takes goes. */
    public int last() {
        return devices.length - 1;
    }

    public Device device(int number) {
        return devices[checked(number)];
    }

    public String name(int number) {
        return device(number).name();
    }

    /** The kind of memory the results of a device lie in. */
    public BufferType bufferType(int number) {
        return types[checked(number)];
    }

    /** The kind of memory for each device's results, in order. */
    public List<BufferType> bufferTypes() {
        return List.of(types);
    }

    /** The first device whose results lie in the same memory as that one's. */
    public int firstWithSameMemory(int number) {
        BufferType type = bufferType(number);
        int first = 0;
        while (!types[first].equals(type)) {
            first++;
        }
        return first;
    }

    /**
     * The number of a device.
     *
     * @throws InvalidPlanException if it is not among these
     */
    public int numberOf(Device device) {
        for (int number = 0; number < devices.length; number++) {
            if (Objects.equals(devices[number], device)) {
                return number;
            }
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
