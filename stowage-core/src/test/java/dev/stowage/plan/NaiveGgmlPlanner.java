package dev.stowage.plan;

import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferType;
import dev.stowage.plan.freelist.NaiveFreeList;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * ggml's graph allocator a second time, written from its rules alone: an object per tensor, found by the tensor, and
 * the {@link NaiveFreeList} below. What {@link GgmlPlanner} plans is compared with it.
 *
 * <p>In one point it follows this project and not ggml, which stops there: an operand that has fewer bytes than the
 * result takes is not overwritten. Where ggml's rules lead to a wrong plan it plans wrongly.
 */
final class NaiveGgmlPlanner {

    private static final Set<Op> IN_PLACE = EnumSet.of(
            Op.FILL,
            Op.SCALE,
            Op.DIAG_MASK_ZERO,
            Op.DIAG_MASK_INF,
            Op.ADD,
            Op.ADD_ID,
            Op.ADD1,
            Op.SUB,
            Op.MUL,
            Op.DIV,
            Op.SQR,
            Op.SQRT,
            Op.LOG,
            Op.UNARY,
            Op.ROPE,
            Op.ROPE_BACK,
            Op.SILU_BACK,
            Op.RMS_NORM,
            Op.RMS_NORM_BACK,
            Op.SOFT_MAX,
            Op.SOFT_MAX_BACK);

    /** What is known about one tensor. */
    private static final class State {
        int children;
        int views;
        boolean owned;
        int buffer;
        NaiveFreeList.Place place = new NaiveFreeList.Place(0, 0);
        boolean placed;
        int inPlaceOf = Graph.NO_ID;
    }

    private final PlanRequest request;
    private final Graph graph;
    private final List<NaiveFreeList> freeLists = new ArrayList<>();
    private final IdentityHashMap<Tensor, State> states = new IdentityHashMap<>();

    NaiveGgmlPlanner(PlanRequest request) {
        this.request = request;
        this.graph = request.graph();
        for (int i = 0; i < request.bufferCount(); i++) {
            freeLists.add(sharedOrNew(i));
        }
        run();
    }

    private NaiveFreeList sharedOrNew(int buffer) {
        BufferType type = request.bufferType(buffer);
        for (int earlier = 0; earlier < buffer; earlier++) {
            if (request.bufferType(earlier).equals(type)) {
                return freeLists.get(earlier);
            }
        }
        return new NaiveFreeList(type.alignment(), Math.min(type.maxBufferSize(), Long.MAX_VALUE / 2));
    }

    private void run() {
        for (int i = 0; i < graph.leafCount(); i++) {
            allocate(graph.leaf(i), request.buffer(graph.nodeCount() + i));
        }
        for (int i = 0; i < graph.nodeCount(); i++) {
            count(graph.node(i), request.buffer(i));
        }
        for (int i = 0; i < graph.nodeCount(); i++) {
            Tensor node = graph.node(i);
            for (Tensor source : sources(node)) {
                allocate(source, request.buffer(i));
            }
            allocate(node, request.buffer(i));
            sources(node).forEach(this::release);
        }
    }

    private void count(Tensor node, int buffer) {
        if (node.isView() && node.op() != Op.NONE) {
            state(node.viewSource()).views++;
        }
        if (node.isInput()) {
            allocate(node, buffer);
        }
        for (Tensor source : sources(node)) {
            state(source).children++;
            if (source.isInput()) {
                allocate(source, buffer);
            }
        }
    }

    private void allocate(Tensor tensor, int buffer) {
        State state = state(tensor);
        boolean isFixed = request.isFixed(graph.idOf(tensor));
        if (isFixed || state.owned || tensor.isView()) {
            return;
        }
        state.owned = true;
        state.placed = true;
        if (IN_PLACE.contains(tensor.op()) && !graph.isExternal(graph.idOf(tensor))) {
            for (Tensor operand : sources(tensor)) {
                if (handsOver(operand, tensor)) {
                    takeOver(tensor, operand);
                    return;
                }
            }
        }
        state.buffer = buffer;
        state.place = freeLists.get(buffer).allocate(bytes(tensor, buffer));
    }

    private boolean handsOver(Tensor operand, Tensor result) {
        State state = state(operand);
        return state.owned
                && !operand.isOutput()
                && !operand.isView()
                && operand.type() == result.type()
                && operand.shape().equals(result.shape())
                && operand.strides().equals(result.strides())
                && state.children == 1
                && state.views == 0
                && bytes(operand, state.buffer) >= bytes(result, state.buffer);
    }

    private void takeOver(Tensor result, Tensor operand) {
        State from = state(operand);
        State to = state(result);
        from.owned = false;
        to.inPlaceOf = graph.idOf(operand);
        to.buffer = from.buffer;
        to.place = from.place;
        NaiveFreeList freeList = freeLists.get(from.buffer);
        long had = freeList.padded(bytes(operand, from.buffer));
        long keeps = freeList.padded(bytes(result, from.buffer));
        if (had > keeps) {
            freeList.free(from.place.chunk(), from.place.offset() + keeps, had - keeps);
        }
    }

    private void release(Tensor source) {
        State state = state(source);
        state.children--;
        if (state.children != 0 || state.views != 0) {
            return;
        }
        if (source.isView()) {
            State viewed = state(source.viewSource());
            viewed.views--;
            if (viewed.views == 0 && viewed.children == 0 && viewed.owned) {
                free(source.viewSource());
            }
        } else if (state.owned) {
            free(source);
        }
    }

    private void free(Tensor tensor) {
        if (tensor.isOutput()) {
            return;
        }
        State state = state(tensor);
        state.owned = false;
        freeLists.get(state.buffer).free(state.place.chunk(), state.place.offset(), bytes(tensor, state.buffer));
    }

    private long bytes(Tensor tensor, int buffer) {
        return request.bufferType(buffer).allocationSize(tensor);
    }

    private State state(Tensor tensor) {
        return states.computeIfAbsent(tensor, _ -> new State());
    }

    private static List<Tensor> sources(Tensor tensor) {
        List<Tensor> sources = new ArrayList<>();
        for (int slot = 0; slot < tensor.sourceCount(); slot++) {
            if (tensor.hasSource(slot)) {
                sources.add(tensor.source(slot));
            }
        }
        return sources;
    }

    /** What was planned, in the arrays of a plan. */
    MemoryPlan plan() {
        PlanParts parts = PlanParts.nothing(request);
        states.forEach((tensor, state) -> {
            if (state.placed) {
                int id = graph.idOf(tensor);
                parts.buffers[id] = state.buffer;
                parts.chunks[id] = state.place.chunk();
                parts.offsets[id] = state.place.offset();
                parts.sizes[id] = bytes(tensor, state.buffer);
                parts.inPlaceOf[id] = state.inPlaceOf;
            }
        });
        for (int buffer = 0; buffer < freeLists.size(); buffer++) {
            NaiveFreeList freeList = freeLists.get(buffer);
            parts.chunkSizes[buffer] = IntStream.range(0, freeList.chunkCount())
                    .mapToLong(freeList::chunkSize)
                    .toArray();
        }
        return parts.plan();
    }
}
