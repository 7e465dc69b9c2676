package dev.stowage.testkit.backend;

import dev.stowage.device.Device;
import java.util.ArrayList;
import java.util.List;

/** Collects the checks of one part of the interface, each with a bench of its own. */
final class Group {

    /** A check at a bench. */
    @FunctionalInterface
    interface AtBench {
        void run(Bench bench) throws Exception;
    }

    private final String name;
    private final Device device;
    private final Device reference;
    private final List<Check> checks = new ArrayList<>();

    Group(String name, Device device, Device reference) {
        this.name = name;
        this.device = device;
        this.reference = reference;
    }

    Group add(String must, AtBench body) {
        checks.add(new Check(device, name, must, () -> {
            try (Bench bench = new Bench(device, reference)) {
                body.run(bench);
            }
        }));
        return this;
    }

    List<Check> checks() {
        return checks;
    }
}
