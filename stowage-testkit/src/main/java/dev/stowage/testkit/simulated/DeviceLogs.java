package dev.stowage.testkit.simulated;

import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.race.AccessLog;
import dev.stowage.testkit.race.MemoryAccess;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.function.Supplier;

/** The logs in which a simulated device records its calls; those that are absent record nothing. */
record DeviceLogs(
        Optional<CallLog> calls,
        Optional<AccessLog> accesses,
        Optional<UploadLog> uploads,
        Optional<PinnedMemory> hostMemory) {

    void add(Call call) {
        calls.ifPresent(listening -> listening.add(call));
    }

    /** Records what the host does to memory at once. */
    void hostAccesses(String what, Supplier<MemoryAccess[]> supplier) {
        accesses.ifPresent(listening -> listening.addHostWork(what, supplier.get()));
    }

    /** Records bytes that the host writes to the device. */
    void addUpload(Tensor tensor, long offset, MemorySegment source, boolean submitted) {
        uploads.ifPresent(listening -> listening.add(new UploadLog.Upload(
                tensor,
                offset,
                source.byteSize(),
                hostMemory.map(memory -> memory.holds(source)).orElse(false),
                submitted)));
    }
}
