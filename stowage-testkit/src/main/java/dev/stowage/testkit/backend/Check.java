package dev.stowage.testkit.backend;

import dev.stowage.device.Device;
import dev.stowage.testkit.backend.Outcome.Failed;
import dev.stowage.testkit.backend.Outcome.NotSupported;
import dev.stowage.testkit.backend.Outcome.Passed;

/**
 * One thing a device must do. Checks are independent: each allocates what it needs and releases it, so that any of them
 * can be run, in any order and any number of times.
 */
public final class Check {

    /** What a check does; it ends by throwing where there is something to say. */
    @FunctionalInterface
    interface Body {
        void run() throws Exception;
    }

    private final Device device;
    private final String group;
    private final String name;
    private final Body body;

    Check(Device device, String group, String name, Body body) {
        this.device = device;
        this.group = group;
        this.name = name;
        this.body = body;
    }

    /** The op it is about, or else the part of the interface: {@code MUL_MAT}, {@code buffers}. */
    public String group() {
        return group;
    }

    /** What must hold, in one line; no two checks of a suite have the same group and name. */
    public String name() {
        return name;
    }

    /** Runs the check; whatever the device throws becomes a failure. */
    public Outcome run() {
        try {
            body.run();
            return new Passed();
        } catch (CheckSkipped unsupported) {
            return new NotSupported(String.valueOf(unsupported.getMessage()));
        } catch (CheckFailure failure) {
            return failed(String.valueOf(failure.getMessage()));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return failed("interrupted");
        } catch (Exception | LinkageError | AssertionError | StackOverflowError | OutOfMemoryError unexpected) {
            return failed("threw " + unexpected);
        }
    }

    private Outcome failed(String what) {
        return new Failed("device '" + device.name() + "', " + this + ": " + what);
    }

    @Override
    public String toString() {
        return group + ": " + name;
    }
}
