package dev.stowage.plan;

import dev.stowage.graph.Graph;
import dev.stowage.plan.freelist.FreeList;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Plans as {@code ggml_gallocr} does: leaves first, then node by node, each in the best-fitting free block of its
 * buffer or in the memory of an operand at its last use; memory is freed after its last reader. Offsets, chunks and
 * sizes equal ggml's to the byte.
 */
final class GgmlPlanner implements Planner {

    static final String NAME = "ggml";

    static final GgmlPlanner INSTANCE = new GgmlPlanner();

    private GgmlPlanner() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public MemoryPlan plan(PlanRequest request) {
        return new Run(request).plan();
    }

    /** One planning run: the state of every tensor, in arrays by tensor id. */
    private static final class Run {

        private final PlanRequest request;
        private final Graph graph;
        private final FreeList[] freeLists;

        private final int[] children;
        private final int[] views;
        private final boolean[] owned;

        private final int[] buffers;
        private final int[] chunks;
        private final long[] offsets;
        private final long[] sizes;
        private final int[] inPlaceOf;
        private final @Nullable Liveness liveness;
        /** Sources of output views that no node reads; they are kept to the end. */
        private final BitSet keptToTheEnd = new BitSet();

        Run(PlanRequest request) {
            this.request = request;
            this.graph = request.graph();
            this.freeLists = freeLists(request);
            int size = graph.size();
            this.children = new int[size];
            this.views = new int[size];
            this.owned = new boolean[size];
            this.buffers = new int[size];
            this.chunks = new int[size];
            this.offsets = new long[size];
            this.sizes = new long[size];
            this.inPlaceOf = new int[size];
            this.liveness = graph.hasViewsAsLeaves() ? Liveness.of(graph) : null;
            Arrays.fill(buffers, MemoryPlan.NOT_PLANNED);
            Arrays.fill(inPlaceOf, Graph.NO_ID);
        }

        private static FreeList[] freeLists(PlanRequest request) {
            FreeList[] lists = new FreeList[request.bufferCount()];
            for (int buffer = 0; buffer < lists.length; buffer++) {
                int first = request.firstWithSameType(buffer);
                lists[buffer] = first < buffer
                        ? lists[first]
                        : new FreeList(
                                request.bufferType(buffer).alignment(),
                                request.bufferType(buffer).maxBufferSize());
            }
            return lists;
        }

        MemoryPlan plan() {
            for (int leaf = graph.nodeCount(); leaf < graph.nodeCount() + graph.leafCount(); leaf++) {
                allocate(leaf, request.buffer(leaf));
            }
            countReaders();
            findUnreadOutputs();
            for (int node = 0; node < graph.nodeCount(); node++) {
                allocateSources(node);
                allocate(node, request.buffer(node));
                releaseSources(node);
            }
            long[][] chunkSizes =
                    Arrays.stream(freeLists).map(FreeList::chunkSizes).toArray(long[][]::new);
            return new MemoryPlan(NAME, request, buffers, chunks, offsets, sizes, inPlaceOf, chunkSizes);
        }

        /** Counts the readers and views of each tensor; inputs are allocated now. */
        private void countReaders() {
            for (int node = 0; node < graph.nodeCount(); node++) {
                int viewSource = graph.viewSource(node);
                // A view without an op only keeps its sources alive; nothing ever reads through it.
                if (viewSource != Graph.NO_ID && graph.isComputed(node)) {
                    views[viewSource]++;
                }
                if (graph.isInput(node)) {
                    allocate(node, request.buffer(node));
                }
                for (int slot = graph.firstSlot(node); slot < graph.endSlot(node); slot++) {
                    int source = graph.sourceAt(slot);
                    if (source != Graph.NO_ID) {
                        children[source]++;
                        if (graph.isInput(source)) {
                            allocate(source, request.buffer(node));
                        }
                    }
                }
            }
        }

        private void findUnreadOutputs() {
            for (int node = 0; liveness != null && node < graph.nodeCount(); node++) {
                int viewSource = graph.viewSource(node);
                if (viewSource != Graph.NO_ID
                        && graph.isOutput(node)
                        && graph.isComputed(node)
                        && children[node] == 0) {
                    keptToTheEnd.set(viewSource);
                }
            }
        }

        private void allocateSources(int node) {
            int buffer = request.buffer(node);
            for (int slot = graph.firstSlot(node); slot < graph.endSlot(node); slot++) {
                int source = graph.sourceAt(slot);
                if (source != Graph.NO_ID) {
                    allocate(source, buffer);
                }
            }
        }

        private void allocate(int id, int buffer) {
            if (owned[id] || !request.isPlannable(id)) {
                return;
            }
            owned[id] = true;
            int operand = graph.canWorkInPlace(id) && !graph.isInput(id) ? operandToOverwrite(id) : Graph.NO_ID;
            if (operand != Graph.NO_ID) {
                overwrite(id, operand);
                return;
            }
            FreeList freeList = freeLists[buffer];
            long size = sizeIn(buffer, id);
            buffers[id] = buffer;
            sizes[id] = size;
            offsets[id] = freeList.allocate(size);
            chunks[id] = freeList.chunk();
        }

        /** The first operand that only this node still needs and that has the layout of the result. */
        private int operandToOverwrite(int id) {
            for (int slot = graph.firstSlot(id); slot < graph.endSlot(id); slot++) {
                int source = graph.sourceAt(slot);
                if (source != Graph.NO_ID
                        && source != id
                        && owned[source]
                        && children[source] == 1
                        && views[source] == 0
                        && !graph.isOutput(source)
                        && isNeededUpTo(source, id)
                        && !isAlsoReadThroughAView(source, id)
                        && graph.tensor(id).layout().equals(graph.tensor(source).layout())
                        && sizeIn(buffers[source], id) <= sizes[source]) {
                    return source;
                }
            }
            return Graph.NO_ID;
        }

        private void overwrite(int id, int operand) {
            int buffer = buffers[operand];
            owned[operand] = false;
            inPlaceOf[id] = operand;
            buffers[id] = buffer;
            chunks[id] = chunks[operand];
            offsets[id] = offsets[operand];
            sizes[id] = sizeIn(buffer, id);
            FreeList freeList = freeLists[buffer];
            long kept = freeList.padded(sizes[id]);
            long surplus = freeList.padded(sizes[operand]) - kept;
            if (surplus > 0) {
                freeList.free(chunks[id], offsets[id] + kept, surplus);
            }
        }

        private void releaseSources(int node) {
            for (int slot = graph.firstSlot(node); slot < graph.endSlot(node); slot++) {
                int source = graph.sourceAt(slot);
                if (source == Graph.NO_ID || --children[source] != 0 || views[source] != 0) {
                    continue;
                }
                int viewSource = graph.viewSource(source);
                if (viewSource == Graph.NO_ID) {
                    free(source, node);
                } else if (--views[viewSource] == 0 && children[viewSource] == 0) {
                    free(viewSource, node);
                }
            }
        }

        private void free(int id, int node) {
            if (owned[id] && !graph.isOutput(id) && isNeededUpTo(id, node)) {
                owned[id] = false;
                freeLists[buffers[id]].free(chunks[id], offsets[id], sizes[id]);
            }
        }

        /**
         * Whether no later node needs a tensor. The reader count suffices, except where a view without an op is read
         * like a leaf: ggml subtracts it from a count it was never part of, and frees too early.
         */
        private boolean isNeededUpTo(int id, int node) {
            return liveness == null || (liveness.to(id) <= node && !keptToTheEnd.get(id));
        }

        /** Whether a node also reads an operand through a view that the view count does not include. */
        private boolean isAlsoReadThroughAView(int operand, int node) {
            for (int slot = graph.firstSlot(node); liveness != null && slot < graph.endSlot(node); slot++) {
                int source = graph.sourceAt(slot);
                if (source != Graph.NO_ID && graph.viewSource(source) == operand) {
                    return true;
                }
            }
            return false;
        }

        private long sizeIn(int buffer, int id) {
            return request.bufferType(buffer).allocationSize(graph.tensor(id));
        }
    }
}
