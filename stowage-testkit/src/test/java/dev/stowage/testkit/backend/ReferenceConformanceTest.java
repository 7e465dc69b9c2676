package dev.stowage.testkit.backend;

import dev.stowage.device.Device;
import dev.stowage.reference.ReferenceProvider;
import dev.stowage.testkit.junit.BackendConformanceSuite;

/** The reference against itself: its results are right by definition, everything else it has to show. */
class ReferenceConformanceTest extends BackendConformanceSuite {

    @Override
    protected Device device() {
        return new ReferenceProvider().devices().getFirst();
    }
}
