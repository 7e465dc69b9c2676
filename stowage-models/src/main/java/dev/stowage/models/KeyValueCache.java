package dev.stowage.models;

import dev.stowage.error.InvalidGraphException;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * The keys and values of earlier tokens, one tensor of each per layer, and how they are written and read.
 *
 * <pre>
 *   keys, and values for flash attention      values for plain attention
 *   cell 0   [ head 0 | head 1 | ... ]        head 0, element 0   [ cell 0 | cell 1 | ... ]
 *   cell 1   [ head 0 | head 1 | ... ]        head 0, element 1   [ cell 0 | cell 1 | ... ]
 * </pre>
 *
 * Plain attention multiplies the scores with values that lie cell by cell in a row, so they are stored that way, each
 * number on its own; both layouts are tensors of the same shape.
 */
final class KeyValueCache {

    private final GraphBuilder builder = new GraphBuilder();
    private final TransformerShape shape;
    private final long cells;
    private final boolean valuesByCell;
    private final List<Tensor> keys = new ArrayList<>();
    private final List<Tensor> values = new ArrayList<>();

    KeyValueCache(TransformerShape shape, TransformerOptions options) {
        this.shape = shape;
        this.cells = options.context();
        this.valuesByCell = options.flash();
        ElementType type = options.cacheType();
        if (shape.headSize() % type.blockSize() != 0) {
            throw new InvalidGraphException("the cache of " + shape.name() + " cannot be " + type + ": its heads of "
                    + shape.headSize() + " elements are no whole number of blocks of " + type.blockSize());
        }
        for (int layer = 0; layer < shape.layers(); layer++) {
            keys.add(builder.tensor(type, shape.kvWidth(), cells).named("cache_k_l" + layer));
            values.add(builder.tensor(type, shape.kvWidth(), cells).named("cache_v_l" + layer));
        }
    }

    GraphBuilder builder() {
        return builder;
    }

    /** Writes the keys of the tokens, {@code [headSize, kvHeads, tokens]}, to their cells. */
    Tensor storeKeys(GraphBuilder b, Tensor current, Tensor cellNumbers, int layer) {
        return b.setRows(keys.get(layer), rows(b, current), cellNumbers);
    }

    /** Writes the values of the tokens, {@code [headSize, kvHeads, tokens]}, to their cells. */
    Tensor storeValues(GraphBuilder b, Tensor current, Tensor cellNumbers, int layer) {
        Tensor cache = values.get(layer);
        if (valuesByCell) {
            return b.setRows(cache, rows(b, current), cellNumbers);
        }
        Tensor rows = b.reshape(current, shape.kvWidth(), current.dim(2));
        Tensor target = b.reshape(cache, 1, cache.shape().elements());
        return b.setRows(target, b.reshape(rows, 1, rows.shape().elements()), cellNumbers);
    }

    private Tensor rows(GraphBuilder b, Tensor current) {
        return b.view2d(current, shape.kvWidth(), current.dim(2), current.stride(2), 0);
    }

    /** All keys as {@code [headSize, kvHeads, cells]}. */
    Tensor keys(GraphBuilder b, int layer) {
        return byCell(b, keys.get(layer));
    }

    /** All values as {@code [headSize, kvHeads, cells]}, for plain attention as {@code [cells, kvHeads, headSize]}. */
    Tensor values(GraphBuilder b, int layer) {
        Tensor cache = values.get(layer);
        if (valuesByCell) {
            return byCell(b, cache);
        }
        ElementType type = cache.type();
        return b.view4d(
                cache,
                cells,
                shape.kvHeads(),
                shape.headSize(),
                1,
                type.rowBytes(cells * shape.headSize()),
                type.rowBytes(cells),
                cache.byteSize(),
                0);
    }

    private Tensor byCell(GraphBuilder b, Tensor cache) {
        return b.view4d(
                cache,
                shape.headSize(),
                shape.kvHeads(),
                cells,
                1,
                cache.type().rowBytes(shape.headSize()),
                cache.stride(1),
                cache.byteSize(),
                0);
    }
}
