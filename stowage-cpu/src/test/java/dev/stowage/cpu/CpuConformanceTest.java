package dev.stowage.cpu;

import dev.stowage.device.Device;
import dev.stowage.testkit.junit.BackendConformanceSuite;

/** Every op and every rule of the interface, against the reference. */
class CpuConformanceTest extends BackendConformanceSuite {

    @Override
    protected Device device() {
        return new CpuProvider().devices().getFirst();
    }
}
