package dev.stowage.testkit.backend;

import dev.stowage.device.Device;
import java.util.ArrayList;
import java.util.List;

/** Collects the checks of one part of the interface, each with a fixture of its own. */
final class CheckGroup {

    /** A check at a fixture. */
    @FunctionalInterface
    interface Body {
        void run(CheckFixture fixture) throws Exception;
    }

    private final String name;
    private final Device device;
    private final Device reference;
    private final List<Check> checks = new ArrayList<>();

    CheckGroup(String name, Device device, Device reference) {
        this.name = name;
        this.device = device;
        this.reference = reference;
    }

    CheckGroup add(String must, Body body) {
        checks.add(new Check(device, name, must, () -> {
            try (CheckFixture fixture = new CheckFixture(device, reference)) {
                body.run(fixture);
            }
        }));
        return this;
    }

    List<Check> checks() {
        return checks;
    }
}
