package dev.stowage.profile;

import dev.stowage.device.Backend;
import dev.stowage.device.RunListener;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.graph.Graph;
import dev.stowage.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Keeps every node, split and copy of runs with its time, and writes them as a file in the trace event format of
 * Chrome, which trace viewers such as Perfetto and {@code chrome://tracing} open.
 *
 * <pre>
 *   devices    gpu     ▇▇▇▇ ▇▇▇            ▇▇▇
 *              cpu             ▇▇▇▇▇▇▇
 *   schedule   splits  ▇▇▇▇▇▇▇▇ ▇▇▇▇▇▇▇▇ ▇▇▇▇▇
 *              copies           ▇        ▇
 * </pre>
 *
 * <p>There is a track for every backend, one for splits and one for copies. So that a long run does not fill the
 * memory, only a limited number of spans is kept; later ones are counted. Thread-safe.
 */
public final class ChromeTrace implements RunListener {

    /** The default limit of spans. */
    public static final int DEFAULT_MAX_SPANS = 1_000_000;

    private final int most;
    private final List<TraceSpan> spans = new ArrayList<>();
    private final Map<TraceDetail, TraceDetail> details = new HashMap<>();
    private final Map<Long, TraceTrack> tracks = new HashMap<>();
    private long dropped;

    /** A trace of at most {@value #DEFAULT_MAX_SPANS} spans. */
    public ChromeTrace() {
        this(DEFAULT_MAX_SPANS);
    }

    /**
     * A trace of at most that many spans.
     *
     * @throws InvalidPlanException if that is negative
     */
    public ChromeTrace(int most) {
        if (most < 0) {
            throw new InvalidPlanException("a trace cannot have room for " + most + " spans; take at least 0");
        }
        this.most = most;
    }

    @Override
    public synchronized void computed(Backend backend, List<Tensor> nodes, long startNanos, long endNanos) {
        if (hasRoom()) {
            add(trackOf(backend), TraceDetail.Nodes.of(nodes), startNanos, endNanos);
        }
    }

    @Override
    public synchronized void ranSplit(Backend backend, int split, Graph graph, long startNanos, long endNanos) {
        if (hasRoom()) {
            add(TraceTrack.SPLITS, TraceDetail.Split.of(backend.name(), split, graph), startNanos, endNanos);
        }
    }

    @Override
    public synchronized void copied(
            Backend from, Backend to, int split, Tensor tensor, long bytes, long startNanos, long endNanos) {
        if (hasRoom()) {
            TraceDetail copy =
                    new TraceDetail.Copy(tensor.name(), tensor.layout(), from.name(), to.name(), split, bytes);
            add(TraceTrack.COPIES, copy, startNanos, endNanos);
        }
    }

    private boolean hasRoom() {
        if (spans.size() < most) {
            return true;
        }
        dropped++;
        return false;
    }

    /** The same nodes run again and again; their details are stored once. */
    private void add(TraceTrack track, TraceDetail detail, long startNanos, long endNanos) {
        spans.add(new TraceSpan(track, details.computeIfAbsent(detail, d -> d), startNanos, endNanos));
    }

    private TraceTrack trackOf(Backend backend) {
        return tracks.computeIfAbsent(backend.id(), _ -> TraceTrack.ofDevice(tracks.size(), backend.name()));
    }

    /** The number of spans kept. */
    public synchronized int size() {
        return spans.size();
    }

    /** The number of spans dropped because of the limit. */
    public synchronized long dropped() {
        return dropped;
    }

    /**
     * Writes what has been kept so far. The file appears only once it is complete; what was there before is replaced,
     * and stays if this fails.
     *
     * @throws IOException if the file cannot be written; the message says which and why
     */
    public void write(Path file) throws IOException {
        TraceFile.write(file, target -> TraceJson.write(snapshot(), dropped(), target));
    }

    private synchronized List<TraceSpan> snapshot() {
        return List.copyOf(spans);
    }
}
