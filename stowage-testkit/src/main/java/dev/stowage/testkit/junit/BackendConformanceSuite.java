package dev.stowage.testkit.junit;

import dev.stowage.device.Device;
import dev.stowage.testkit.backend.BackendConformance;
import dev.stowage.testkit.backend.Check;
import dev.stowage.testkit.backend.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The conformance suite as a test of a backend: extend it, name the device, and every check becomes a test of its own.
 * What the device does not claim shows as skipped, with the reason.
 *
 * {@snippet class="dev.stowage.testkit.toy.ToyBackendTest" region="suite"}
 */
public abstract class BackendConformanceSuite {

    /** For subclasses. */
    protected BackendConformanceSuite() {}

    /** The device to judge; asked once. */
    protected abstract Device device();

    /** The suite to run, for subclasses that want more random cases. */
    protected BackendConformance suite(Device device) {
        return BackendConformance.of(device);
    }

    /** One container for each op and each part of the interface, one test for each check. */
    @TestFactory
    Stream<DynamicNode> conforms() {
        Map<String, List<DynamicNode>> groups = new LinkedHashMap<>();
        for (Check check : suite(device()).checks()) {
            groups.computeIfAbsent(check.group(), _ -> new ArrayList<>()).add(test(check));
        }
        return groups.entrySet().stream()
                .map(group -> DynamicContainer.dynamicContainer(group.getKey(), group.getValue()));
    }

    private static DynamicNode test(Check check) {
        return DynamicTest.dynamicTest(check.name(), () -> {
            switch (check.run()) {
                case Outcome.Passed _ -> {}
                case Outcome.Failed(String message) -> throw new AssertionError(message);
                case Outcome.NotSupported(String reason) -> Assumptions.abort(reason);
            }
        });
    }
}
