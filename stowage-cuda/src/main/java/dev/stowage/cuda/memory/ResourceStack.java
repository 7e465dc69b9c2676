package dev.stowage.cuda.memory;

import java.util.ArrayDeque;
import java.util.Deque;

/** What has been made so far of something that needs several resources, to be released if the rest cannot be had. */
public final class ResourceStack implements AutoCloseable {

    private final Deque<Runnable> releases = new ArrayDeque<>();

    /** Nothing yet. */
    public ResourceStack() {}

    /** Has something released, before what was made earlier. The release does not throw. */
    public void push(Runnable release) {
        releases.push(release);
    }

    /** Releases everything, last things first. */
    @Override
    public void close() {
        while (!releases.isEmpty()) {
            releases.pop().run();
        }
    }
}
