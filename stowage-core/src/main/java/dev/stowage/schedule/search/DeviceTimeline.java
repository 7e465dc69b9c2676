package dev.stowage.schedule.search;

import java.util.Arrays;

/**
 * Where everybody has got to in a run that is only imagined: the host, which hands in work and sometimes waits, and one
 * stream of work for each device. Work begins when it has been handed in and what is before it in its stream is done.
 *
 * <pre>
 *   host    ──hand in──hand in────────────wait┐
 *   gpu0      [ n0 n1 n2 ]──copy─┐            │
 *   gpu1                         [ n3 n4 ]────┘
 * </pre>
 */
public final class DeviceTimeline {

    private final long[] streams;
    private final boolean[] async;
    private long host;

    public DeviceTimeline(CostSheet sheet) {
        this.streams = new long[sheet.deviceCount()];
        this.async = new boolean[streams.length];
        for (int device = 0; device < async.length; device++) {
            async[device] = sheet.isAsync(device);
        }
    }

    /** Back to the beginning of time. */
    public void reset() {
        host = 0;
        Arrays.fill(streams, 0);
    }

    /** A device works; the host waits for one that cannot work on its own. */
    public void work(int device, long nanos) {
        streams[device] = Math.max(streams[device], host) + nanos;
        if (!async[device]) {
            host = streams[device];
        }
    }

    /** The host is busy itself. */
    public void hostWorks(long nanos) {
        host += nanos;
    }

    /** The host waits for all that a device has been handed. */
    public void waitFor(int device) {
        hostReaches(streams[device]);
    }

    /** The host waits until a mark is reached. */
    public void hostReaches(long mark) {
        host = Math.max(host, mark);
    }

    /** A mark behind all that a device has been handed. */
    public long mark(int device) {
        work(device, 0);
        return streams[device];
    }

    /** A device waits for a mark before what comes next. */
    public void await(int device, long mark) {
        streams[device] = Math.max(streams[device], mark);
        work(device, 0);
    }

    /** One device copies from another, in the turn of both. */
    public void copy(int from, int to, long nanos) {
        await(to, mark(from));
        work(to, nanos);
        await(from, streams[to]);
    }

    public long host() {
        return host;
    }

    public long stream(int device) {
        return streams[device];
    }

    /** When everybody is done. */
    public long end() {
        long end = host;
        for (long stream : streams) {
            end = Math.max(end, stream);
        }
        return end;
    }
}
