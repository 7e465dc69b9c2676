package dev.stowage.testkit.simulated;

import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * How often the memory of a simulated device has been asked for sizes and initialised: each a round trip for a device
 * that is far away. Sizes that were fetched in bulk are known and cost none. May be used from any thread.
 */
public final class MemoryQueries {

    private final boolean bulk;
    private final Set<Layout> known = new HashSet<>();
    private int sizes;
    private int bulkSizes;
    private int initializations;
    private int bulkInitializations;

    MemoryQueries(boolean bulk) {
        this.bulk = bulk;
    }

    /** Whether one call serves many tensors. */
    boolean isBulk() {
        return bulk;
    }

    synchronized void askSize(Tensor tensor) {
        if (!known.contains(tensor.layout())) {
            sizes++;
        }
    }

    synchronized void askSizes(List<Tensor> tensors) {
        bulkSizes++;
        tensors.forEach(tensor -> known.add(tensor.layout()));
    }

    synchronized void initialize() {
        initializations++;
    }

    synchronized void initializeAll() {
        bulkInitializations++;
    }

    /** How often the size of a single tensor was asked for and not known. */
    public synchronized int sizeQueries() {
        return sizes;
    }

    /** How often sizes were asked for in bulk. */
    public synchronized int bulkSizeQueries() {
        return bulkSizes;
    }

    /** How often memory was initialised for a single tensor. */
    public synchronized int initializations() {
        return initializations;
    }

    /** How often memory was initialised for many tensors at once. */
    public synchronized int bulkInitializations() {
        return bulkInitializations;
    }
}
