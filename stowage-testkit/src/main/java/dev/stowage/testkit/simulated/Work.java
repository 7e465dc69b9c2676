package dev.stowage.testkit.simulated;

import dev.stowage.error.DeviceException;
import dev.stowage.tensor.Tensor;
import java.util.Optional;

/**
 * One call a simulated device carries out: what it is about and what it costs. Given to a {@link DelayPolicy} and kept with an
 * {@linkplain Faults#injected() injected} fault.
 *
 * @param device the name of the device
 * @param kind what is done
 * @param tensor the tensor it is about: written, read, copied to or computed; empty where there is none
 * @param bytes the bytes that cross the link or are asked for, 0 where none do
 * @param nanos the simulated time it takes
 */
public record Work(String device, CallKind kind, Optional<Tensor> tensor, long bytes, long nanos) {

    /** This call failed, for that reason. */
    DeviceException failure(String what) {
        return tensor.map(about -> DeviceException.of(device, kind.label(), about.describe(), what))
                .orElseGet(() -> DeviceException.of(device, kind.label(), what));
    }

    /** This call did not end by itself and was given up. */
    DeviceException interrupted(InterruptedException cause) {
        return failure("it was interrupted before it was done").because(cause);
    }
}
