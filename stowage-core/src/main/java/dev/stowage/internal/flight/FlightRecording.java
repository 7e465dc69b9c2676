package dev.stowage.internal.flight;

import jdk.jfr.FlightRecorder;

/**
 * Whether anybody has switched on the flight recorder. Asked before an event class is touched, because loading the first
 * of them starts the recorder's machinery, which takes a tenth of a second that a program without it need not spend.
 */
public final class FlightRecording {

    private FlightRecording() {}

    public static boolean isOn() {
        return FlightRecorder.isInitialized();
    }
}
