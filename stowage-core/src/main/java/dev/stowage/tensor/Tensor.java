package dev.stowage.tensor;

import dev.stowage.error.AccessException;
import dev.stowage.error.InvalidTensorException;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A multi-dimensional array in a computation: its layout (type, shape, strides) and how it is computed (op, parameters,
 * sources); ggml's {@code ggml_tensor}.
 *
 * <p>A <em>leaf</em> has the op {@link Op#NONE}: an input or a weight. A <em>view</em> shares the bytes of another
 * tensor, its {@linkplain #viewSource() source}, which is never itself a view: a view of a view is a view of the same
 * bytes with the offsets added.
 *
 * <p>A tensor that keeps its bytes for many runs, such as a weight or a cache, has memory of its own, assigned once.
 * Where the other tensors of a graph are stored is a property of a bound graph, so that one graph can be bound any
 * number of times.
 *
 * <p>A tensor is immutable except for its name, its marks (input, output, weight) and the memory of its own. A {@code
 * Graph} records names and marks when it is built and is not affected by later changes. Names and marks are not
 * synchronised: set them before another thread uses the tensor.
 */
public final class Tensor {

    private static final AtomicLong SERIALS = new AtomicLong();

    /** How many tensors of this process have been given memory of their own. */
    private static final AtomicLong PLACEMENTS = new AtomicLong();

    private static final int INPUT = 1;
    private static final int OUTPUT = 2;
    private static final int WEIGHT = 4;

    private static final @Nullable Tensor[] NO_SOURCES = {};

    private final long serial = SERIALS.getAndIncrement();
    private final Layout layout;
    private final long byteSize;
    private final Op op;
    private final OpParameters parameters;
    private final @Nullable Tensor[] sources;
    private final @Nullable Tensor viewSource;
    private final long viewOffset;

    /** The name, or a supplier of it until it is first asked for. */
    private Object name;

    private int marks;
    private volatile @Nullable Placement placement;

    /** Where a tensor with memory of its own is stored. */
    private record Placement(Storage storage, long offset) {}

    private Tensor(Builder builder) {
        this.layout = builder.layout;
        this.byteSize = builder.layout.byteSize();
        this.op = builder.op;
        this.parameters = builder.parameters;
        this.sources = builder.ownSlot == Builder.NO_SLOT ? builder.sources : withItself(builder);
        this.viewSource = builder.viewSource;
        this.viewOffset = builder.viewOffset;
        this.name = builder.name;
    }

    private @Nullable Tensor[] withItself(Builder builder) {
        @Nullable Tensor[] all = Arrays.copyOf(builder.sources, Math.max(builder.sources.length, builder.ownSlot + 1));
        all[builder.ownSlot] = this;
        return all;
    }

    /** A leaf of that layout. */
    public static Tensor leaf(Layout layout) {
        return new Builder(layout).build();
    }

    /** Starts a tensor of that layout; ops, sources and views are added before {@link Builder#build()}. */
    public static Builder builder(Layout layout) {
        return new Builder(layout);
    }

    /** A number that is unique in this process and increases with every tensor. */
    public long serial() {
        return serial;
    }

    public Layout layout() {
        return layout;
    }

    public ElementType type() {
        return layout.type();
    }

    public Shape shape() {
        return layout.shape();
    }

    public Strides strides() {
        return layout.strides();
    }

    /** Elements along dimension {@code i}, from 0 (innermost) to 3. */
    public long dim(int i) {
        return layout.shape().dim(i);
    }

    /** Bytes between neighbours along dimension {@code i}. */
    public long stride(int i) {
        return layout.strides().stride(i);
    }

    /** The bytes from the first element's first to the last element's last. */
    public long byteSize() {
        return byteSize;
    }

    public Op op() {
        return op;
    }

    public OpParameters parameters() {
        return parameters;
    }

    /** The number of source slots, filled or not. */
    public int sourceCount() {
        return sources.length;
    }

    /** Whether slot {@code i} has a source; optional operands that were left out leave a gap. */
    public boolean hasSource(int i) {
        return i >= 0 && i < sources.length && sources[i] != null;
    }

    /**
     * The source in slot {@code i}.
     *
     * @throws InvalidTensorException if there is none
     */
    public Tensor source(int i) {
        Tensor source = i >= 0 && i < sources.length ? sources[i] : null;
        if (source == null) {
            throw new InvalidTensorException(describe() + " has no source " + i);
        }
        return source;
    }

    /** Whether no op computes this tensor. */
    public boolean isLeaf() {
        return op == Op.NONE;
    }

    /** Whether this tensor shares the bytes of another. */
    public boolean isView() {
        return viewSource != null;
    }

    /**
     * The tensor whose bytes this one shares; never itself a view.
     *
     * @throws InvalidTensorException if this is not a view
     */
    public Tensor viewSource() {
        if (viewSource == null) {
            throw new InvalidTensorException(describe() + " is not a view");
        }
        return viewSource;
    }

    /** The offset of a view from its source's first byte; 0 for a tensor that is not a view. */
    public long viewOffset() {
        return viewOffset;
    }

    /** The name given, or an empty string. */
    public String name() {
        if (name instanceof Supplier<?> supplier) {
            name = supplier.get();
        }
        return (String) name;
    }

    /** Gives this tensor a name. */
    public Tensor named(String newName) {
        this.name = Objects.requireNonNull(newName);
        return this;
    }

    /** Gives this tensor a name that is made when it is first asked for. */
    public Tensor named(Supplier<String> newName) {
        this.name = Objects.requireNonNull(newName);
        return this;
    }

    /** Whether the caller writes this tensor before each run. */
    public boolean isInput() {
        return (marks & INPUT) != 0;
    }

    /** Whether the caller reads this tensor after a run, so that its memory is never used again within it. */
    public boolean isOutput() {
        return (marks & OUTPUT) != 0;
    }

    /** Whether this tensor keeps memory of its own for many runs and is never planned. */
    public boolean isWeight() {
        return (marks & WEIGHT) != 0;
    }

    /** Marks this tensor as one the caller writes before each run. */
    public Tensor asInput() {
        marks |= INPUT;
        return this;
    }

    /** Marks this tensor as one the caller reads after a run. */
    public Tensor asOutput() {
        marks |= OUTPUT;
        return this;
    }

    /** Marks this tensor as one that keeps memory of its own for many runs. */
    public Tensor asWeight() {
        marks |= WEIGHT;
        return this;
    }

    /** Whether this tensor, or its view source, has memory of its own, open or closed. */
    public boolean isPlaced() {
        return ownPlacement() != null;
    }

    /** How often tensors have been given memory of their own so far; while it is the same, none has been. */
    public static long placements() {
        return PLACEMENTS.get();
    }

    private @Nullable Placement ownPlacement() {
        return viewSource == null ? placement : viewSource.placement;
    }

    /**
     * The memory of its own that this tensor is stored in; for a view that of its source.
     *
     * @throws AccessException if it has none
     */
    Storage storage() {
        return requirePlacement().storage;
    }

    /**
     * The offset of this tensor in its storage.
     *
     * @throws AccessException if it has no memory of its own
     */
    public long storageOffset() {
        return requirePlacement().offset + viewOffset;
    }

    private Placement requirePlacement() {
        Placement found = ownPlacement();
        if (found == null) {
            throw new AccessException(describe()
                    + " has no memory of its own: place it in a buffer, or ask the bound graph where it is stored");
        }
        return found;
    }

    /**
     * Gives this tensor memory of its own; called through {@link Storage#assign}. It stays until the storage is closed;
     * then the tensor can be given other memory.
     *
     * @throws InvalidTensorException if this is a view, which is stored where its source is
     * @throws AccessException if the range is not within the storage, or this tensor has memory that is still open
     */
    void place(Storage storage, long offset) {
        if (viewSource != null) {
            throw new InvalidTensorException(describe() + " is a view and is stored where its source is: place "
                    + viewSource.describe() + " instead");
        }
        if (offset < 0 || offset > storage.size() - byteSize) {
            throw new AccessException(describe() + " of " + byteSize + " bytes does not fit at offset " + offset
                    + " of " + storage.name() + ", which has " + storage.size() + " bytes");
        }
        synchronized (this) {
            Placement before = placement;
            if (before != null && !before.storage.isClosed()) {
                throw new AccessException(describe() + " is stored at offset " + before.offset + " of "
                        + before.storage.name() + " already and stays there until that is closed");
            }
            placement = new Placement(storage, offset);
            PLACEMENTS.incrementAndGet();
        }
    }

    /**
     * Name, op and layout, for messages: {@code 'ffn_up' (MUL_MAT f32[11008, 512])}; unnamed ones show their number.
     */
    public String describe() {
        String called = name().isEmpty() ? (op == Op.NONE ? "leaf" : op.toString()) + " #" + serial : name();
        return "'" + called + "' (" + (op == Op.NONE ? "" : op + " ") + layout + ")";
    }

    @Override
    public String toString() {
        return describe();
    }

    /** Collects what a tensor is made of; see {@link Tensor#builder(Layout)}. */
    public static final class Builder {

        private static final int NO_SLOT = -1;

        private final Layout layout;
        private int ownSlot = NO_SLOT;
        private Op op = Op.NONE;
        private OpParameters parameters = OpParameters.NONE;
        private @Nullable Tensor[] sources = NO_SOURCES;
        private @Nullable Tensor viewSource;
        private long viewOffset;
        private String name = "";

        private Builder(Layout layout) {
            this.layout = layout;
        }

        public Builder op(Op newOp) {
            this.op = newOp;
            return this;
        }

        public Builder op(Op newOp, OpParameters newParameters) {
            this.op = newOp;
            this.parameters = newParameters;
            return this;
        }

        /** The sources, in slots 0, 1, 2 and so on. */
        public Builder sources(Tensor... newSources) {
            this.sources = Arrays.copyOf(newSources, newSources.length);
            return this;
        }

        /** One source in a slot of the caller's choice; slots before it that get none stay empty. */
        public Builder sourceAt(int slot, Tensor source) {
            sources = Arrays.copyOf(sources, Math.max(sources.length, slot + 1));
            sources[slot] = source;
            return this;
        }

        /**
         * Makes the tensor a source of itself, as ggml does for the result of a cast; its planner frees such a result
         * early if no other node reads it.
         */
        public Builder sourceItself(int slot) {
            this.ownSlot = slot;
            return this;
        }

        /** Makes the tensor a view that begins at {@code offset} bytes of {@code source}. */
        public Builder viewOf(Tensor source, long offset) {
            if (offset < 0) {
                throw new InvalidTensorException(
                        "a view of " + source.describe() + " cannot begin at byte " + offset + ", before its source");
            }
            this.viewSource = source.viewSource == null ? source : source.viewSource;
            // An overflow becomes negative here and is refused by build(), which knows the layout to name.
            this.viewOffset = source.viewOffset + offset;
            return this;
        }

        public Builder name(String newName) {
            this.name = newName;
            return this;
        }

        /**
         * The tensor.
         *
         * @throws InvalidTensorException if a view reaches beyond its source
         */
        public Tensor build() {
            Tensor root = viewSource;
            boolean reachesBeyond = root != null
                    && (viewOffset < 0 || (layout.byteSize() > 0 && viewOffset > root.byteSize - layout.byteSize()));
            if (root != null && reachesBeyond) {
                throw new InvalidTensorException("a view " + layout + " of " + layout.byteSize() + " bytes at byte "
                        + viewOffset + " reaches beyond its source " + root.describe() + " of " + root.byteSize
                        + " bytes");
            }
            return new Tensor(this);
        }
    }
}
