package dev.stowage.memory;

import dev.stowage.error.ClosedException;
import dev.stowage.internal.IdentitySet;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Leases on buffers that work is under way in: a buffer that is closed meanwhile keeps its memory until they end. A
 * group of buffers is leased as a whole, in constant time: only when one of them is closed, which is rare, does closing
 * find those who have leased its group and count a lease for each. Used by one thread at a time, while any thread may
 * close the buffers; adding a buffer again, and ending the leases again, creates no garbage.
 */
public final class BufferLeases {

    /** All that have leased a group, to be found by buffers that are closed. */
    private static final Set<BufferLeases> LESSEES = Collections.newSetFromMap(new WeakHashMap<>());

    /** Buffers with a counted lease; and a second set, for those that are being ended. */
    private IdentitySet<Buffer> counted = new IdentitySet<>();

    private IdentitySet<Buffer> ending = new IdentitySet<>();

    /** Groups that are leased as a whole. */
    private final IdentitySet<BufferGroup> groups = new IdentitySet<>();

    /** The group that was leased last, until all leases end. */
    private @Nullable BufferGroup latest;

    private boolean registered;

    /** No leases yet. */
    public BufferLeases() {}

    /**
     * Takes a lease on a buffer, unless there is one here already.
     *
     * @throws ClosedException if the buffer is closed; the leases are as they were then
     */
    public synchronized void add(Buffer buffer) {
        if (counted.contains(buffer)) {
            buffer.requireOpen();
        } else {
            buffer.acquireForWork();
            counted.add(buffer);
        }
    }

    /**
     * Takes a lease on every buffer of a group, unless there is one here already. Takes constant time as long as no
     * buffer is closed, except for buffers that have to be asked every time.
     *
     * @throws ClosedException if one is closed; the leases may be held in part then
     */
    public void addAll(BufferGroup group) {
        register();
        synchronized (this) {
            group.requireOpen();
            groups.add(group);
            latest = group;
            for (int i = 0; i < group.dependentCount(); i++) {
                add(group.dependent(i));
            }
        }
    }

    /** Whether two tensors are stored in the group that was leased last; asked by the thread that leased it. */
    public boolean covers(TensorPair tensors) {
        return latest != null && tensors.isStoredIn(latest);
    }

    /** Whether all buffers of a group are also in the one that was leased last; asked by the thread that leased it. */
    public boolean covers(BufferGroup group) {
        return latest != null && latest.containsAll(group);
    }

    /** As {@link Buffer#copy(BoundTensor, BoundTensor)}, without further leases on buffers that this covers. */
    public void copy(TensorPair tensors) {
        if (covers(tensors)) {
            TensorCopy.copyLeased(tensors.from(), tensors.to());
        } else {
            TensorCopy.copy(tensors);
        }
    }

    private void register() {
        if (!registered) {
            synchronized (LESSEES) {
                LESSEES.add(this);
            }
            registered = true;
        }
    }

    /** Ends all leases, even if freeing the memory of a closed buffer fails. */
    public void releaseAll() {
        if (groups.size() == 0 && counted.size() == 0) {
            return;
        }
        synchronized (this) {
            groups.clear();
            latest = null;
            IdentitySet<Buffer> ended = counted;
            counted = ending;
            ending = ended;
        }
        endWork(ending.size());
    }

    /** Not synchronized: freeing memory may close further buffers. */
    private void endWork(int count) {
        int left = count;
        try {
            while (left > 0) {
                ending.get(--left).endWork();
            }
        } finally {
            if (left > 0) {
                endWork(left);
            } else {
                ending.clear();
            }
        }
    }

    /** Counts a lease on every closed buffer of a leased group; called by closing, which still holds a lease. */
    static void countClosed() {
        List<BufferLeases> lessees;
        synchronized (LESSEES) {
            lessees = List.copyOf(LESSEES);
        }
        lessees.forEach(BufferLeases::countClosedOfGroups);
    }

    private synchronized void countClosedOfGroups() {
        for (int number = 0; number < groups.size(); number++) {
            BufferGroup group = groups.get(number);
            for (int i = 0; i < group.size(); i++) {
                Buffer buffer = group.get(i);
                if (buffer.isClosed() && !counted.contains(buffer)) {
                    buffer.acquireWhileLeased();
                    counted.add(buffer);
                }
            }
        }
    }
}
