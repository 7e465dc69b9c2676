package dev.stowage.testkit.schedule;

import dev.stowage.device.DeviceType;
import dev.stowage.memory.HostBufferType;
import dev.stowage.tensor.Op;
import dev.stowage.testkit.race.AccessLog;
import dev.stowage.testkit.simulated.SimulatedDevice;
import dev.stowage.testkit.simulated.SimulatedDeviceBuilder;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * A random set of simulated devices, the same for the same seed: two to four of them, the last one a processor that
 * runs everything, the others accelerators that may lack ops, share memory, read each other's or the host's, run ahead
 * or not, have events or not, copy directly or not, and take over work whose weights are on the host.
 */
public final class RandomDevices {

    private static final Set<Op> OFFLOADED = EnumSet.of(Op.MUL_MAT, Op.MUL_MAT_ID, Op.GET_ROWS);

    private final Random random;
    private final UnaryOperator<SimulatedDeviceBuilder> finish;
    private final List<SimulatedDevice> devices = new ArrayList<>();

    private final boolean isWatched;

    private RandomDevices(Random random, boolean isWatched, UnaryOperator<SimulatedDeviceBuilder> finish) {
        this.random = random;
        this.isWatched = isWatched;
        this.finish = finish;
    }

    /** Draws a set. */
    public static List<SimulatedDevice> draw(Random random) {
        return draw(new RandomDevices(random, false, UnaryOperator.identity()));
    }

    /** Draws a set of which all accesses are recorded; the caller can add to every device before it is made. */
    public static List<SimulatedDevice> draw(
            Random random, AccessLog log, UnaryOperator<SimulatedDeviceBuilder> finish) {
        return draw(new RandomDevices(random, true, made -> finish.apply(made.accesses(log))));
    }

    private static List<SimulatedDevice> draw(RandomDevices drawn) {
        Random random = drawn.random;
        int accelerators = 1 + random.nextInt(3);
        for (int i = 0; i < accelerators; i++) {
            drawn.devices.add(drawn.accelerator(i));
        }
        drawn.devices.add(drawn.processor());
        return List.copyOf(drawn.devices);
    }

    private boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    private SimulatedDevice accelerator(int number) {
        SimulatedDeviceBuilder made = SimulatedDevice.named("gpu" + number)
                .alignment(16L << random.nextInt(3))
                .async(chance(0.7))
                .events(chance(0.7))
                .directCopies(chance(0.7));
        if (number % 2 == 0) {
            made.withoutAddresses();
        }
        if (chance(0.2)) {
            made.maxBufferSize(4096);
        }
        if (chance(0.6)) {
            made.supporting(someOps());
        }
        if (chance(0.4)) {
            made.offloading(OFFLOADED);
        }
        if (number > 0 && chance(0.2)) {
            made.sharing(devices.getLast().bufferType());
        } else if (chance(0.1)) {
            made.hostMemory();
        }
        if (chance(0.2)) {
            made.readingHostMemory();
        }
        if (number > 0 && chance(0.15)) {
            made.reading("gpu" + (number - 1));
        }
        return finish.apply(made).build();
    }

    private Set<Op> someOps() {
        Set<Op> ops = EnumSet.allOf(Op.class);
        ops.removeIf(_ -> chance(0.25));
        return ops;
    }

    private SimulatedDevice processor() {
        SimulatedDeviceBuilder made = SimulatedDevice.named("cpu")
                .type(DeviceType.CPU)
                .readingHostMemory()
                .directCopies(false)
                .async(chance(0.2))
                .events(chance(0.2));
        // Accesses to ordinary host memory are not recorded.
        if (chance(0.5) && !isWatched) {
            made.sharing(HostBufferType.standard());
        } else {
            made.hostMemory();
        }
        if (chance(0.1)) {
            made.reading("gpu0");
        }
        return finish.apply(made).build();
    }
}
