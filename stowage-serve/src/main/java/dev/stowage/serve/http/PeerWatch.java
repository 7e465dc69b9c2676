package dev.stowage.serve.http;

import java.time.Duration;

/** Looks several times a second whether a client is still there, until the watch is closed. */
public final class PeerWatch implements AutoCloseable {

    private static final Duration INTERVAL = Duration.ofMillis(100);

    private final Runnable action;
    private boolean closed;
    private boolean gone;

    private PeerWatch(Runnable action) {
        this.action = action;
    }

    static PeerWatch none() {
        return new PeerWatch(() -> {});
    }

    static PeerWatch start(WatchedEndPoint endPoint, Runnable action) {
        PeerWatch watch = new PeerWatch(action);
        Thread.ofVirtual().name("stowage-http-watch").start(() -> watch.run(endPoint));
        return watch;
    }

    private synchronized void run(WatchedEndPoint endPoint) {
        try {
            while (!closed && !gone) {
                gone = endPoint.isPeerGone();
                if (gone) {
                    action.run();
                } else {
                    wait(INTERVAL.toMillis());
                }
            }
        } catch (InterruptedException _) {
            // Nobody interrupts it; if somebody does, they want it to end.
        }
    }

    /** Whether the client has gone. */
    public synchronized boolean isGone() {
        return gone;
    }

    /**
     * Ends the watch: after this nothing is read from the connection any more. To be called before the last of an answer is
     * sent, since what comes after that belongs to the next request.
     */
    public synchronized void end() {
        closed = true;
        notifyAll();
    }

    @Override
    public void close() {
        end();
    }
}
