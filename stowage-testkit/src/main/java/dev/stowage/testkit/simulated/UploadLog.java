package dev.stowage.testkit.simulated;

import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Records which bytes were written to a simulated device from the host, and from what memory. May be used from any thread. */
public final class UploadLog {

    /**
     * One transfer.
     *
     * @param tensor the tensor that was written
     * @param offset the first byte of it that was
     * @param bytes how many were
     * @param pinned whether they came from the host memory of that device
     * @param submitted whether they were submitted through a backend, and not written at once
     */
    public record Upload(Tensor tensor, long offset, long bytes, boolean pinned, boolean submitted) {}

    private final List<Upload> uploads = new ArrayList<>();

    /** An empty log. */
    public UploadLog() {}

    synchronized void add(Upload upload) {
        uploads.add(upload);
    }

    /** What was written, in that order. */
    public synchronized List<Upload> uploads() {
        return List.copyOf(uploads);
    }
}
