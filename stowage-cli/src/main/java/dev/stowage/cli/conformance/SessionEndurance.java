package dev.stowage.cli.conformance;

import dev.stowage.cli.text.ByteSize;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceType;
import dev.stowage.error.StowageException;
import dev.stowage.llm.LanguageModel;

/** Opens and closes sessions one after the other: all write the same, and the memory of the device is given back. */
final class SessionEndurance {
    /** Drivers take memory for themselves in the first. */
    private static final int WARM_UP = 10;

    private final Device device;
    private final ModelProbe probe;
    private final EnduranceTally tally;

    SessionEndurance(Device device, ModelProbe probe, EnduranceTally tally) {
        this.device = device;
        this.probe = probe;
        this.tally = tally;
    }

    void run(int sessions) {
        if (sessions == 0) {
            return;
        }
        try (LanguageModel model = probe.open(device)) {
            String expected = probe.generate(model);
            for (int i = 1; i < Math.min(WARM_UP, sessions); i++) {
                probe.generate(model);
            }
            long before = device.memory().free();
            for (int i = 1; i <= sessions; i++) {
                tally.progress("sessions: " + i + " of " + sessions);
                one(i, model, expected);
            }
            long after = device.memory().free();
            tally.say("sessions: " + sessions + " opened and closed; free memory of " + device.name() + ": "
                    + ByteSize.format(before) + " before, " + ByteSize.format(after) + " after");
            // Others use the memory of the processor too.
            if (device.type() != DeviceType.CPU) {
                tally.check(after >= before, (before - after) + " bytes of memory were not given back");
            }
        }
    }

    private void one(int number, LanguageModel model, String expected) {
        try {
            String text = probe.generate(model);
            tally.check(text.equals(expected), "session " + number + " wrote '" + text + "', not '" + expected + "'");
        } catch (StowageException e) {
            tally.check(false, "session " + number + ": " + e);
        }
    }
}
