package dev.stowage.gguf;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Shape;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Reads the list of tensors, and keeps where in the file their offsets are stored: whether an offset is right is known
 * only when the list ends, and an error names the place of its field.
 *
 * <pre>
 *   per tensor:  str name | u32 dimensions | u64 each | u32 type | u64 offset
 * </pre>
 */
final class TensorListReader {

    private final GgufInput in;
    private final int part;
    private final long alignment;
    private final List<GgufTensor> all = new ArrayList<>();
    private final List<Long> offsetFields = new ArrayList<>();
    private final Map<String, Long> byName = new HashMap<>();

    TensorListReader(GgufInput in, int part, long alignment) {
        this.in = in;
        this.part = part;
        this.alignment = alignment;
    }

    /** Reads that many tensors. */
    void readAll(long count) {
        for (long i = 0; i < count; i++) {
            read(i);
        }
    }

    /** The tensors read so far, in the order of the file. */
    List<GgufTensor> all() {
        return all;
    }

    private void read(long i) {
        String name = name(i);
        Shape shape = shape(name);
        Layout layout = layout(name, shape);
        String field = "offset of tensor '" + name + "'";
        long at = in.position();
        long offset = in.int64(field);
        if (offset < 0 || offset % alignment != 0) {
            throw in.failure(
                    at,
                    field,
                    Long.toUnsignedString(offset) + " is not a multiple of the alignment " + alignment
                            + " within the file");
        }
        all.add(new GgufTensor(new TensorSpec(name, layout), part, offset));
        offsetFields.add(at);
    }

    private String name(long i) {
        long at = in.position();
        String name = in.text("name of tensor " + i);
        if (name.isEmpty()) {
            throw in.failure(at, "name of tensor " + i, "it is empty");
        }
        Long before = byName.put(name, i);
        if (before != null) {
            throw in.failure(at, "name of tensor " + i, "'" + name + "' is the name of tensor " + before);
        }
        return name;
    }

    private Shape shape(String name) {
        long at = in.position();
        String field = "dimensions of tensor '" + name + "'";
        int rank = in.int32(field);
        if (rank < 0 || rank > Shape.RANK) {
            throw in.failure(at, field, Integer.toUnsignedString(rank) + " dimensions are more than " + Shape.RANK);
        }
        long[] dimensions = {1, 1, 1, 1};
        for (int i = 0; i < rank; i++) {
            long dimensionAt = in.position();
            dimensions[i] = in.int64(field);
            if (dimensions[i] < 0) {
                throw in.failure(
                        dimensionAt,
                        field,
                        "dimension " + i + " is " + Long.toUnsignedString(dimensions[i])
                                + ", more than a signed number of 64 bits can be");
            }
        }
        try {
            return Shape.of(dimensions);
        } catch (InvalidTensorException e) {
            throw in.failure(at, field, String.valueOf(e.getMessage()));
        }
    }

    private Layout layout(String name, Shape shape) {
        long at = in.position();
        String field = "type of tensor '" + name + "'";
        int code = in.int32(field);
        try {
            return Layout.contiguous(ElementType.ofCode(code), shape);
        } catch (InvalidTensorException e) {
            throw in.failure(at, field, String.valueOf(e.getMessage()));
        }
    }

    /** Checks that all data is within the data section, and that no two tensors share any. */
    void requirePlaces(long dataOffset) {
        int[] order = IntStream.range(0, all.size())
                .boxed()
                .sorted(Comparator.comparingLong((Integer i) -> all.get(i).offset())
                        .thenComparingLong(i -> all.get(i).byteSize()))
                .mapToInt(Integer::intValue)
                .toArray();
        for (int i = 0; i < order.length; i++) {
            GgufTensor tensor = all.get(order[i]);
            long at = offsetFields.get(order[i]);
            String field = "offset of tensor '" + tensor.name() + "'";
            if (tensor.offset() > Long.MAX_VALUE - dataOffset - tensor.byteSize()) {
                throw in.failure(
                        at,
                        field,
                        tensor.offset() + " and the " + tensor.byteSize()
                                + " bytes of the tensor are more than a file can have");
            }
            if (i > 0 && all.get(order[i - 1]).end() > tensor.offset()) {
                throw in.failure(
                        at,
                        field,
                        tensor.offset() + " is within the data of tensor '"
                                + all.get(order[i - 1]).name() + "'");
            }
        }
    }
}
