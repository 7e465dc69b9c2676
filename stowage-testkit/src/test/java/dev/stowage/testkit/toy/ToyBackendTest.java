package dev.stowage.testkit.toy;

import dev.stowage.device.Device;
import dev.stowage.testkit.junit.BackendConformanceSuite;

/** All that a new backend writes to be judged. */
// @start region="suite"
class ToyBackendTest extends BackendConformanceSuite {

    @Override
    protected Device device() {
        return new ToyProvider().devices().getFirst();
    }
}
// @end
