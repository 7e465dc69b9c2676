package dev.stowage.profile;

/**
 * A row of spans in a trace viewer; viewers group rows by process.
 *
 * @param process the number of the group
 * @param thread the number of the row, which no row of another group has either
 * @param name what is shown beside it
 */
record TraceTrack(int process, int thread, String name) {

    static final int DEVICES = 1;
    static final int SCHEDULE = 2;

    private static final int FIRST_DEVICE = 3;

    static final TraceTrack SPLITS = new TraceTrack(SCHEDULE, 1, "splits");
    static final TraceTrack COPIES = new TraceTrack(SCHEDULE, 2, "copies");

    /** The row of a stream of work, of which there are some already. */
    static TraceTrack ofDevice(int before, String device) {
        return new TraceTrack(DEVICES, FIRST_DEVICE + before, device);
    }

    /** The name of the group. */
    String processName() {
        return process == DEVICES ? "devices" : "schedule";
    }
}
