package dev.stowage.internal.flight;

import jdk.jfr.FlightRecorder;

/**
 * Whether the flight recorder is on. Checked before an event class is loaded, because loading the first of them
 * initializes the recorder, which takes a tenth of a second.
 */
public final class FlightRecording {

    private FlightRecording() {}

    public static boolean isOn() {
        return FlightRecorder.isInitialized();
    }
}
