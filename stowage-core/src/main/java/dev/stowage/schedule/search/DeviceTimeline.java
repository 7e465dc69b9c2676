package dev.stowage.schedule.search;

import java.util.Arrays;

/**
 * Simulated time of a run: of the host, which submits work and sometimes waits, and of one stream per device. Work
 * starts when it has been submitted and its stream is idle.
 *
 * <pre>
 *   host    ──submit──submit──────────────wait┐
 *   gpu0      [ n0 n1 n2 ]──copy─┐            │
 *   gpu1                         [ n3 n4 ]────┘
 * </pre>
 */
public final class DeviceTimeline {

    private final CostSheet sheet;
    private final long[] streams;
    private long host;

    public DeviceTimeline(CostSheet sheet) {
        this.sheet = sheet;
        this.streams = new long[sheet.deviceCount()];
    }

    /** Adds work to a device; the host waits for a synchronous device. */
    public void work(int device, long nanos) {
        streams[device] = Math.max(streams[device], host) + nanos;
        if (!sheet.isAsync(device)) {
            host = streams[device];
        }
    }

    public void hostWorks(long nanos) {
        host += nanos;
    }

    /** The host waits for all work submitted to a device. */
    public void waitFor(int device) {
        hostReaches(streams[device]);
    }

    /** The host waits for a mark. */
    public void hostReaches(long mark) {
        host = Math.max(host, mark);
    }

    /** A mark after all work submitted to a device. */
    public long mark(int device) {
        work(device, 0);
        return streams[device];
    }

    /** A device waits for a mark. */
    public void await(int device, long mark) {
        streams[device] = Math.max(streams[device], mark);
        work(device, 0);
    }

    /** One device copies from another, ordered in both streams. */
    public void copy(int from, int to, long nanos) {
        await(to, mark(from));
        work(to, nanos);
        await(from, streams[to]);
    }

    long host() {
        return host;
    }

    long stream(int device) {
        return streams[device];
    }

    /** When the host and all devices are done. */
    public long end() {
        return Arrays.stream(streams).reduce(host, Math::max);
    }
}
