package dev.stowage.bench.ggml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;

/** The functions of ggml that make contexts, tensors and graphs and that answer questions about them. */
public final class GgmlFunctions {

    private static final StructLayout INIT_PARAMS = MemoryLayout.structLayout(
            JAVA_LONG.withName("mem_size"),
            ADDRESS.withName("mem_buffer"),
            JAVA_BOOLEAN.withName("no_alloc"),
            MemoryLayout.paddingLayout(7));

    private final MethodHandle version;
    private final MethodHandle commit;
    private final MethodHandle opName;
    private final MethodHandle canWorkInPlace;
    private final MethodHandle typeName;
    private final MethodHandle tensorOverhead;
    private final MethodHandle graphOverhead;
    private final MethodHandle init;
    private final MethodHandle free;
    private final MethodHandle newTensor;
    private final MethodHandle newGraph;
    private final MethodHandle addNode;
    private final MethodHandle nodeCount;
    private final MethodHandle node;
    private final MethodHandle byteSize;
    private final MethodHandle name;
    private final GgmlAllocatorFunctions allocators;
    private final NativeLibrary library;

    GgmlFunctions(NativeLibrary base) {
        version = base.function("ggml_version", ADDRESS);
        commit = base.function("ggml_commit", ADDRESS);
        opName = base.function("ggml_op_name", ADDRESS, JAVA_INT);
        canWorkInPlace = base.function("ggml_op_can_inplace", JAVA_BOOLEAN, JAVA_INT);
        typeName = base.function("ggml_type_name", ADDRESS, JAVA_INT);
        tensorOverhead = base.function("ggml_tensor_overhead", JAVA_LONG);
        graphOverhead = base.function("ggml_graph_overhead_custom", JAVA_LONG, JAVA_LONG, JAVA_BOOLEAN);
        init = base.function("ggml_init", ADDRESS, INIT_PARAMS);
        free = base.function("ggml_free", null, ADDRESS);
        newTensor = base.function("ggml_new_tensor", ADDRESS, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS);
        newGraph = base.function("ggml_new_graph_custom", ADDRESS, ADDRESS, JAVA_LONG, JAVA_BOOLEAN);
        addNode = base.function("ggml_graph_add_node", null, ADDRESS, ADDRESS);
        nodeCount = base.function("ggml_graph_n_nodes", JAVA_INT, ADDRESS);
        node = base.function("ggml_graph_node", ADDRESS, ADDRESS, JAVA_INT);
        byteSize = base.function("ggml_nbytes", JAVA_LONG, ADDRESS);
        name = base.function("ggml_get_name", ADDRESS, ADDRESS);
        allocators = new GgmlAllocatorFunctions(base);
        library = base;
    }

    /** The functions that plan and allocate. */
    public GgmlAllocatorFunctions allocators() {
        return allocators;
    }

    /** The library the functions come from, for those only a check needs. */
    public NativeLibrary library() {
        return library;
    }

    String version() {
        try {
            return text((MemorySegment) version.invokeExact());
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    String commit() {
        try {
            return text((MemorySegment) commit.invokeExact());
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    public String opName(int code) {
        try {
            return text((MemorySegment) opName.invokeExact(code));
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** Whether ggml's planner lets the result of that op take the place of an operand. */
    boolean canWorkInPlace(int opCode) {
        try {
            return (boolean) canWorkInPlace.invokeExact(opCode);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    public String typeName(int code) {
        try {
            return text((MemorySegment) typeName.invokeExact(code));
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** The bytes a context needs for one tensor's description. */
    public long tensorOverhead() {
        try {
            return (long) tensorOverhead.invokeExact();
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** The bytes a context needs for a graph of up to {@code size} nodes and as many leaves. */
    public long graphOverhead(long size) {
        try {
            return (long) graphOverhead.invokeExact(size, false);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** A context that only holds descriptions, no data. */
    public MemorySegment newContext(long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment params = arena.allocate(INIT_PARAMS);
            params.set(JAVA_LONG, 0, bytes);
            params.set(JAVA_BOOLEAN, INIT_PARAMS.byteOffset(MemoryLayout.PathElement.groupElement("no_alloc")), true);
            return (MemorySegment) init.invokeExact(params);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    public void freeContext(MemorySegment context) {
        try {
            free.invokeExact(context);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    public GgmlTensor newTensor(MemorySegment context, int type, long... dimensions) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment shape = arena.allocateFrom(JAVA_LONG, dimensions);
            return GgmlTensor.at((MemorySegment) newTensor.invokeExact(context, type, dimensions.length, shape));
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    public GgmlGraph newGraph(MemorySegment context, long size) {
        try {
            return GgmlGraph.at((MemorySegment) newGraph.invokeExact(context, size, false));
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    public void addNode(GgmlGraph graph, GgmlTensor tensor) {
        try {
            addNode.invokeExact(graph.struct(), tensor.struct());
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    public int nodeCount(GgmlGraph graph) {
        try {
            return (int) nodeCount.invokeExact(graph.struct());
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    public GgmlTensor node(GgmlGraph graph, int index) {
        try {
            return GgmlTensor.at((MemorySegment) node.invokeExact(graph.struct(), index));
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    public long byteSize(GgmlTensor tensor) {
        try {
            return (long) byteSize.invokeExact(tensor.struct());
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    public String name(GgmlTensor tensor) {
        try {
            return text((MemorySegment) name.invokeExact(tensor.struct()));
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    @SuppressWarnings("restricted")
    public static String text(MemorySegment address) {
        return address.reinterpret(Long.MAX_VALUE).getString(0);
    }
}
