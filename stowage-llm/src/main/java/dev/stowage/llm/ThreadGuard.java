package dev.stowage.llm;

import dev.stowage.error.AccessException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Notices a second thread in something that is for one thread at a time. The thread that is inside may enter again, so that
 * a listener can call back; any other is refused instead of waiting, because its call would not be what it expects once
 * the first is done.
 */
final class ThreadGuard {

    private final String what;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile String user = "";

    /** Guards something that messages call by this name. */
    ThreadGuard(String what) {
        this.what = what;
    }

    /**
     * @throws AccessException if another thread is inside
     */
    void enter() {
        if (!lock.tryLock()) {
            throw new AccessException("the " + what + " is in use by thread '" + user + "', and thread '"
                    + Thread.currentThread().getName() + "' calls it too: a " + what
                    + " is for one thread at a time; open one for each");
        }
        user = Thread.currentThread().getName();
    }

    void leave() {
        lock.unlock();
    }
}
