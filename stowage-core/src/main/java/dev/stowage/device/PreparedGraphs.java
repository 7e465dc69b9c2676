package dev.stowage.device;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The prepared graphs of a backend. Any thread may close one; its resources are released by a thread that no other is
 * inside a call of the backend with, so that a graph is never disposed of while it runs.
 */
final class PreparedGraphs {

    private final Device device;
    private final Set<PreparedGraph> open = ConcurrentHashMap.newKeySet();
    private final Queue<PreparedGraph> closed = new ConcurrentLinkedQueue<>();
    /** Whether the queue may have elements: cheaper to ask after every call of the backend than the queue. */
    private volatile boolean hasClosed;

    PreparedGraphs(Device device) {
        this.device = device;
    }

    void add(PreparedGraph graph) {
        open.add(graph);
    }

    /** Records that a graph is closed; {@link #disposeClosed()} releases its resources. */
    void close(PreparedGraph graph) {
        closed.add(graph);
        hasClosed = true;
    }

    /** Whether graphs are closed whose resources have not been released. */
    boolean hasClosed() {
        return hasClosed;
    }

    /** Releases the resources of closed graphs; no other thread is inside a call. */
    void disposeClosed() {
        List<Runnable> releases = new ArrayList<>();
        hasClosed = false;
        for (PreparedGraph next = closed.poll(); next != null; next = closed.poll()) {
            if (open.remove(next)) {
                releases.add(next::dispose);
            }
        }
        Releases.all(device, releases);
    }

    /** Releases the resources of all graphs, then those of the backend; no other thread is inside a call. */
    void disposeAll(Runnable backend) {
        List<Runnable> releases = new ArrayList<>();
        open.forEach(graph -> releases.add(graph::dispose));
        open.clear();
        releases.add(backend);
        Releases.all(device, releases);
    }
}
