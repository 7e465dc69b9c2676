package dev.stowage.testkit.simulated;

import dev.stowage.memory.Buffer;
import dev.stowage.tensor.Tensor;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The tensors that lie in a buffer, to tell which one a range of bytes belongs to: the methods behind a buffer's are
 * given offsets, while messages and logs want names. Of several tensors at one place it is the one last heard of, and a
 * view only where nothing else is known or it was asked for itself.
 *
 * <p>The tensors are held weakly, as nobody says when one is no longer used. May be used from any thread.
 */
final class Placements {

    private final TreeMap<Long, List<WeakReference<Tensor>>> byOffset = new TreeMap<>();

    /** Takes down a tensor that has been given its place in {@code buffer}, or is a view of one that has. */
    void placed(Buffer buffer, Tensor tensor) {
        hearOf(buffer, tensor, tensor.isView());
    }

    /** Takes down that the next transfer at the place of that tensor is meant for it. */
    void expect(Buffer buffer, Tensor tensor) {
        hearOf(buffer, tensor, false);
    }

    private synchronized void hearOf(Buffer buffer, Tensor tensor, boolean behindOthers) {
        long offset = tensor.storageOffset();
        List<WeakReference<Tensor>> there = byOffset.computeIfAbsent(offset, _ -> new ArrayList<>(1));
        there.removeIf(known ->
                known.refersTo(tensor) || lyingThere(known, buffer, offset).isEmpty());
        there.add(behindOthers ? 0 : there.size(), new WeakReference<>(tensor));
    }

    /** The tensor that a range belongs to: one of just that range, or else one that holds it. */
    synchronized Optional<Tensor> find(Buffer buffer, long offset, long length) {
        Optional<Tensor> exact = last(buffer, byOffset.getOrDefault(offset, List.of()), offset, length, length);
        if (exact.isPresent()) {
            return exact;
        }
        for (Map.Entry<Long, List<WeakReference<Tensor>>> entry :
                byOffset.headMap(offset, true).descendingMap().entrySet()) {
            long needed = offset - entry.getKey() + length;
            Optional<Tensor> holder = last(buffer, entry.getValue(), entry.getKey(), needed, Long.MAX_VALUE);
            if (holder.isPresent()) {
                return holder;
            }
        }
        return Optional.empty();
    }

    /** Forgets all tensors. */
    synchronized void clear() {
        byOffset.clear();
    }

    private static Optional<Tensor> last(
            Buffer buffer, List<WeakReference<Tensor>> there, long offset, long atLeast, long atMost) {
        for (WeakReference<Tensor> known : there.reversed()) {
            Optional<Tensor> tensor = lyingThere(known, buffer, offset)
                    .filter(found -> found.byteSize() >= atLeast && found.byteSize() <= atMost);
            if (tensor.isPresent()) {
                return tensor;
            }
        }
        return Optional.empty();
    }

    private static Optional<Tensor> lyingThere(WeakReference<Tensor> known, Buffer buffer, long offset) {
        return Optional.ofNullable(known.get()).filter(tensor -> tensor.liesAt(buffer, offset));
    }
}
