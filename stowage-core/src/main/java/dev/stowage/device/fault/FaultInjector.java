package dev.stowage.device.fault;

import dev.stowage.device.BackendProvider;

/**
 * The devices of this machine through a driver whose calls are counted, and of which one can be made to fail: what a device
 * does then is checked on the hardware itself. It is found by {@link java.util.ServiceLoader}. Its devices are others than
 * those of the {@link dev.stowage.device.DeviceRegistry}, and all calls of its provider are counted, those of other providers
 * are not. Thread-safe.
 */
public interface FaultInjector {

    /** What a call fails with. */
    enum Failure {
        /** There is not enough memory: the call had no effect, and others work. */
        OUT_OF_MEMORY,
        /** A kernel failed: every later call fails too, until the device is closed and opened again. */
        DEVICE_LOST
    }

    /** Provides the devices whose driver it is; always the same. */
    BackendProvider provider();

    /** How many calls of the driver there were. */
    long calls();

    /**
     * Has one call fail. Calls that wait or end something are made nevertheless, and then report the failure.
     *
     * @param call the number of the call, of which {@link #calls()} is the next
     */
    void fail(long call, Failure failure);

    /** Has no call fail any more, except on a device that is lost; returns the function that failed, or an empty text. */
    String disarm();
}
