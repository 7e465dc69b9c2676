package dev.stowage.bench.ops;

import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What was measured of an op on a device.
 *
 * @param bytes what one op reads and writes
 * @param copies over how many copies of operands it went
 * @param times of one op; empty where the device does not compute it
 * @param remark why it does not, or nothing
 */
record DeviceOpResult(DeviceOpCase opCase, long bytes, int copies, Optional<RoundTimes> times, String remark) {

    static DeviceOpResult refused(DeviceOpCase opCase, String reason) {
        return new DeviceOpResult(opCase, 0, 0, Optional.empty(), reason);
    }

    OptionalDouble bytesPerSecond() {
        return perSecond((double) bytes);
    }

    /** Empty where arithmetic is not what the op takes time for. */
    OptionalDouble flopsPerSecond() {
        return opCase.flops() == 0 ? OptionalDouble.empty() : perSecond(opCase.flops());
    }

    private OptionalDouble perSecond(double work) {
        return times.map(all -> OptionalDouble.of(work / all.median())).orElse(OptionalDouble.empty());
    }
}
