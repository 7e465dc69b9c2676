package dev.stowage.cli.conformance;

import dev.stowage.device.Device;
import dev.stowage.device.fault.FaultInjector;
import dev.stowage.device.fault.FaultInjector.Failure;
import dev.stowage.error.StowageException;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Has every call of a driver fail once during a generation: first on one device that stays open, then on a device that is
 * opened anew for each call, so that kernels are loaded again and the loss of the device is survived.
 */
final class FaultEndurance {
    /** After how many failures the same device has to write the whole text again. */
    private static final int BETWEEN_PROOFS = 8;

    private final String name;
    private final Supplier<FaultInjector> injectors;
    private final ModelProbe probe;
    private final EnduranceTally tally;

    /**
     * @param name the device
     * @param injectors give another one each time
     */
    FaultEndurance(String name, Supplier<FaultInjector> injectors, ModelProbe probe, EnduranceTally tally) {
        this.name = name;
        this.injectors = injectors;
        this.probe = probe;
        this.tally = tally;
    }

    /** The device of that name whose calls can be made to fail. */
    static Optional<Device> device(FaultInjector injector, String name) {
        return injector.provider().devices().stream()
                .filter(device -> device.name().equalsIgnoreCase(name))
                .map(Device.class::cast)
                .findFirst();
    }

    private Device device(FaultInjector injector) {
        return device(injector, name).orElseThrow();
    }

    void run(int every) {
        String expected = onOpenDevice();
        onNewDevices(Failure.OUT_OF_MEMORY, every, expected);
        onNewDevices(Failure.DEVICE_LOST, every, expected);
    }

    private String onOpenDevice() {
        FaultInjector injector = injectors.get();
        try {
            Device device = device(injector);
            String expected = probe.run(device);
            probe.run(device);
            long start = injector.calls();
            probe.run(device);
            long calls = injector.calls() - start;
            long before = device.memory().free();
            for (long call = 0; call < calls; call++) {
                tally.progress("failures on an open device: call " + call + " of " + calls);
                injector.fail(injector.calls() + call, Failure.OUT_OF_MEMORY);
                String problem = attempt(device, expected);
                String what = "call " + call + ", " + injector.disarm() + ", out of memory: ";
                tally.check(problem.isEmpty(), what + problem);
                long free = device.memory().free();
                tally.check(free >= before, what + (before - free) + " bytes of memory were not given back");
                before = Math.min(before, free);
                if (call % BETWEEN_PROOFS == 0) {
                    prove(device, what, expected);
                }
            }
            prove(device, "after all calls: ", expected);
            tally.say("failures on an open device, out of memory: each of " + calls + " calls");
            return expected;
        } finally {
            injector.provider().close();
        }
    }

    private void onNewDevices(Failure failure, int every, String expected) {
        String kind = failure.name().toLowerCase(Locale.ROOT).replace('_', ' ');
        Opened first = open();
        long start = first.injector().calls();
        probe.run(first.device());
        long calls = first.injector().calls() - start;
        first.injector().provider().close();
        long before = open().close();
        int tried = 0;
        for (long call = 0; call < calls; call += every) {
            tally.progress("failures on new devices, " + kind + ": call " + call + " of " + calls);
            one(call, failure, expected, kind, before);
            tried++;
        }
        tally.say("failures on new devices, " + kind + ": " + tried + " of " + calls + " calls");
    }

    private record Opened(FaultInjector injector, Device device, long free) {

        /** Returns how much memory was free. */
        long close() {
            injector.provider().close();
            return free;
        }
    }

    /** A device that has its context, and nothing else. */
    private Opened open() {
        FaultInjector injector = injectors.get();
        Device device = device(injector);
        return new Opened(injector, device, device.memory().free());
    }

    private void one(long call, Failure failure, String expected, String kind, long before) {
        Opened opened = open();
        FaultInjector injector = opened.injector();
        injector.fail(injector.calls() + call, failure);
        String problem = attempt(opened.device(), expected);
        String what = "call " + call + ", " + injector.disarm() + ", " + kind + ": ";
        tally.check(problem.isEmpty(), what + problem);
        // In place of a device that is lost the provider has another.
        prove(device(injector), what, expected);
        opened.close();
        long free = open().close();
        tally.check(free >= before, what + (before - free) + " bytes of memory were not given back");
    }

    /** What is wrong with a generation in which a call fails; nothing if it failed in order, or did not need the call. */
    private String attempt(Device device, String expected) {
        try {
            String text = probe.run(device);
            return text.equals(expected) ? "" : "wrote '" + text + "', not '" + expected + "'";
        } catch (StowageException e) {
            return "";
        } catch (RuntimeException e) {
            return "an exception that is not one of a device: " + e;
        }
    }

    private void prove(Device device, String what, String expected) {
        try {
            String text = probe.run(device);
            tally.check(text.equals(expected), what + "then wrote '" + text + "', not '" + expected + "'");
        } catch (RuntimeException e) {
            tally.check(false, what + "then failed: " + e);
        }
    }
}
