package dev.stowage.models;

import dev.stowage.error.InvalidGraphException;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The keys and values of earlier tokens, one tensor of each per layer, and how they are written and read.
 *
 * <pre>
 *   keys, and values for flash attention      values for plain attention
 *   cell 0   [ head 0 | head 1 | ... ]        head 0, element 0   [ cell 0 | cell 1 | ... ]
 *   cell 1   [ head 0 | head 1 | ... ]        head 0, element 1   [ cell 0 | cell 1 | ... ]
 * </pre>
 *
 * Plain attention multiplies the scores with values of consecutive cells, so they are stored that way, each
 * number on its own; both layouts are tensors of the same shape. An encoder keeps nothing: its cache has no tensors.
 */
public final class KeyValueCache {

    private final GraphBuilder builder = new GraphBuilder();
    private final TransformerShape shape;
    private final int cells;
    private final int windowCells;
    private final ElementType type;
    private final boolean valuesByCell;
    private final List<Tensor> keys = new ArrayList<>();
    private final List<Tensor> values = new ArrayList<>();
    private final Map<Tensor, Integer> parts = new HashMap<>();

    /** A cache in which layers with a window have as many cells as the others. */
    public KeyValueCache(TransformerShape shape, int cells, ElementType type, boolean flash) {
        this(shape, cells, cells, type, flash);
    }

    /**
     * A cache without a place in memory.
     *
     * @param cells how many tokens it has room for
     * @param windowCells how many tokens layers with a {@linkplain AttentionWindow window} have room for
     * @param flash whether it is read by fused attention
     * @throws InvalidGraphException if heads are not a whole number of the type's blocks, or a type in blocks is to be
     *     read by plain attention
     */
    public KeyValueCache(TransformerShape shape, int cells, int windowCells, ElementType type, boolean flash) {
        this.shape = shape;
        this.cells = cells;
        this.windowCells = Math.min(cells, windowCells);
        this.type = type;
        this.valuesByCell = flash;
        WeightTypes.requireCacheType(type, flash);
        if (shape.isEncoder()) {
            return;
        }
        if (shape.headSize() % type.blockSize() != 0) {
            throw new InvalidGraphException("the cache of " + shape.name() + " cannot be " + type + ": its heads of "
                    + shape.headSize() + " elements are not a whole number of blocks of " + type.blockSize());
        }
        for (int layer = 0; layer < shape.layers(); layer++) {
            long rows = cellsOf(layer);
            keys.add(builder.tensor(type, shape.kvWidth(), rows).named("cache_k_l" + layer));
            values.add(builder.tensor(type, shape.kvWidth(), rows).named("cache_v_l" + layer));
            parts.put(keys.getLast(), layer);
            parts.put(values.getLast(), layer);
        }
    }

    /** How many tokens it has room for. */
    public int cells() {
        return cells;
    }

    /** How many tokens layers with a window have room for. */
    public int windowCells() {
        return windowCells;
    }

    private int cellsOf(int layer) {
        return shape.traits().window().isIn(layer) ? windowCells : cells;
    }

    /** The element type of keys and values. */
    public ElementType type() {
        return type;
    }

    /** Whether it is read by fused attention. */
    public boolean isForFlash() {
        return valuesByCell;
    }

    /** The tensors of a layer that need a place: its keys, then its values. */
    public List<Tensor> tensors(int layer) {
        return keys.isEmpty() ? List.of() : List.of(keys.get(layer), values.get(layer));
    }

    /** All tensors that need a place. */
    public List<Tensor> tensors() {
        return builder.tensors();
    }

    /** The layer of every tensor. */
    Map<Tensor, Integer> parts() {
        return parts;
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
        boolean isWhole = current.layout().isContiguous();
        Tensor rows = isWhole
                ? b.reshape(current, shape.kvWidth(), current.dim(2))
                : b.cont(current, shape.kvWidth(), current.dim(2));
        Tensor target = b.reshape(cache, 1, cache.shape().elements());
        return b.setRows(target, b.reshape(rows, 1, rows.shape().elements()), cellNumbers);
    }

    private Tensor rows(GraphBuilder b, Tensor current) {
        return b.view2d(current, shape.kvWidth(), current.dim(2), current.stride(2), 0);
    }

    /** The keys of the first cells as {@code [headSize, kvHeads, cells]}. */
    Tensor keys(GraphBuilder b, int layer, int firstCells) {
        return byCell(b, keys.get(layer), firstCells);
    }

    /**
     * The values of the first cells as {@code [headSize, kvHeads, cells]}, for plain attention as {@code [cells,
     * kvHeads, headSize]}.
     */
    Tensor values(GraphBuilder b, int layer, int firstCells) {
        Tensor cache = values.get(layer);
        if (valuesByCell) {
            return byCell(b, cache, firstCells);
        }
        ElementType type = cache.type();
        return b.view4d(
                cache,
                firstCells,
                shape.kvHeads(),
                shape.headSize(),
                1,
                type.rowBytes((long) cellsOf(layer) * shape.headSize()),
                type.rowBytes(cellsOf(layer)),
                cache.byteSize(),
                0);
    }

    private Tensor byCell(GraphBuilder b, Tensor cache, int firstCells) {
        return b.view4d(
                cache,
                shape.headSize(),
                shape.kvHeads(),
                firstCells,
                1,
                cache.type().rowBytes(shape.headSize()),
                cache.stride(1),
                cache.byteSize(),
                0);
    }
}
