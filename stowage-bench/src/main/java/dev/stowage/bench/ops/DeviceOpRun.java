package dev.stowage.bench.ops;

import dev.stowage.device.Device;
import dev.stowage.error.AllocationException;
import dev.stowage.error.DeviceException;
import java.util.List;
import java.util.Optional;

/** Measures ops on one device, with weights in the memory it prefers and operands that no cache holds. */
final class DeviceOpRun {

    /** Larger than the caches of processors and GPUs. */
    static final long COLD_BYTES = 256L << 20;

    private static final int PART_OF_MEMORY = 8;

    private final Device device;
    private final int threads;
    private final long coldBytes;
    private final Rounds rounds;

    /**
     * @param threads with how many, 0 for the device's own choice
     * @param coldBytes how much the copies of an op read and write together, at least
     */
    DeviceOpRun(Device device, int threads, long coldBytes, MeasurementSettings pace) {
        this.device = device;
        this.threads = threads;
        this.coldBytes = coldBytes;
        this.rounds = new Rounds(pace);
    }

    /** As much as is not in a cache, and a small part of the memory of a device. */
    static long coldBytes(Device device) {
        return Math.min(COLD_BYTES, device.memory().free() / PART_OF_MEMORY);
    }

    /** Measures an op; what the device cannot compute, or has no memory for, is said in the result. */
    DeviceOpResult run(DeviceOpCase opCase) {
        try (TestData data = new TestData()) {
            DeviceOpCase.Copies copies = opCase.make(data, coldBytes);
            try (Contender ours =
                    new StreamContender(device, DeviceContender.preferred(device, copies.workload(), threads))) {
                RoundTimes all = rounds.measure(List.of(ours)).getFirst();
                return new DeviceOpResult(
                        opCase, copies.bytes(), copies.count(), Optional.of(all.dividedBy(copies.count())), "");
            }
        } catch (DeviceException | AllocationException e) {
            if (device.lossCause().isPresent()) {
                throw e;
            }
            return DeviceOpResult.refused(opCase, String.valueOf(e.getMessage()));
        }
    }
}
