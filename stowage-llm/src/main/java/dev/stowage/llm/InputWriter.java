package dev.stowage.llm;

import dev.stowage.device.Backend;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes the inputs of a graph before each run. Plans place inputs first and near each other, so that on a device whose
 * transfers are submitted one transfer writes all of them, with the bytes between:
 *
 * <pre>
 *   staging memory  [ tokens | unread | positions | cells | mask ........ | outputs ]
 *                                         │ one transfer
 *   device memory   [ tokens | unread | positions | cells | mask ........ | outputs ] results of nodes ...
 * </pre>
 *
 * Nothing that is needed is stored between them: before a run, all planned memory but the inputs is free, and inputs that
 * are not written here are not read.
 */
final class InputWriter {

    /** So few bytes are transferred at once whatever is between the inputs; of more, only so many may be between them. */
    private static final long FEW_BYTES = 1 << 16;

    private static final long MOST_BETWEEN = 1 << 12;

    private final Tensor[] tensors;
    private final MemorySegment[] values;
    /** The first input where all of them were last looked for; another place says that memory has moved. */
    private @Nullable BoundTensor known;

    private @Nullable Span span;

    private InputWriter(Builder builder) {
        this.tensors = builder.tensors.toArray(Tensor[]::new);
        this.values = builder.values.toArray(MemorySegment[]::new);
    }

    static Builder builder() {
        return new Builder();
    }

    /** Collects inputs and where their values are kept. */
    static final class Builder {

        private final List<Tensor> tensors = new ArrayList<>();
        private final List<MemorySegment> values = new ArrayList<>();

        private Builder() {}

        /** Has the bytes of an array written to an input before each run. */
        Builder add(Tensor tensor, MemorySegment value) {
            tensors.add(tensor);
            values.add(value);
            return this;
        }

        InputWriter build() {
            return new InputWriter(this);
        }
    }

    /**
     * Inputs that are near each other.
     *
     * @param bytes all of them as one tensor
     * @param offsets by input where it is in those bytes
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Span(BoundTensor bytes, long[] offsets) {}

    /** Writes all values to where the inputs of the graph are stored: at once, or in the order of the stream. */
    void write(BoundSchedule bound, HostStaging staging) {
        BoundTensor first = bound.tensor(tensors[0]);
        Backend backend = bound.backendOf(tensors[0]);
        if (first.buffer().isHost() || !staging.submits(backend)) {
            writeEach(bound, staging);
            return;
        }
        if (!first.equals(known)) {
            span = span(bound, first);
            known = first;
        }
        Span all = span;
        if (all == null) {
            writeEach(bound, staging);
            return;
        }
        MemorySegment piece = staging.piece(backend, all.bytes.byteSize());
        for (int i = 0; i < values.length; i++) {
            MemorySegment.copy(values[i], 0, piece, all.offsets[i], values[i].byteSize());
        }
        backend.setAsync(all.bytes, 0, piece);
    }

    private void writeEach(BoundSchedule bound, HostStaging staging) {
        for (int i = 0; i < values.length; i++) {
            staging.write(bound.tensor(tensors[i]), bound.backendOf(tensors[i]), values[i]);
        }
    }

    /** The inputs as neighbours; null where they are far from each other. */
    private @Nullable Span span(BoundSchedule bound, BoundTensor first) {
        Buffer buffer = first.buffer();
        long start = first.offset();
        long end = start;
        long used = 0;
        long[] offsets = new long[tensors.length];
        for (int i = 0; i < offsets.length; i++) {
            BoundTensor input = bound.tensor(tensors[i]);
            if (!input.buffer().equals(buffer)) {
                return null;
            }
            offsets[i] = input.offset();
            start = Math.min(start, input.offset());
            end = Math.max(end, input.offset() + input.byteSize());
            used += values[i].byteSize();
        }
        if (end - start > Math.max(FEW_BYTES, used + MOST_BETWEEN)) {
            return null;
        }
        for (int i = 0; i < offsets.length; i++) {
            offsets[i] -= start;
        }
        Tensor bytes = Tensor.leaf(Layout.contiguous(ElementType.I8, Shape.of(end - start)));
        return new Span(BoundTensor.at(bytes, buffer, start), offsets);
    }
}
