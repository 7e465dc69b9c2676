package dev.stowage.internal;

/** What {@link Thread} itself does not do. */
public final class Threads {

    private Threads() {}

    /** Waits until a thread has ended. An interrupt of the caller meanwhile does not end the wait, and is kept for after it. */
    public static void join(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
