package dev.stowage.bench.ggml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.stowage.error.MalformedDataException;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Objects;

/**
 * Checks that the C structs described here are those of the library that is loaded. ggml itself builds a small graph
 * through its public functions, with a value in every field that matters, and each is read back from the struct.
 */
final class GgmlStructCheck {

    /** A context stores each tensor after a header of four words. */
    private static final long CONTEXT_HEADER_BYTES = 32;

    private static final long ROOM = 1 << 16;
    private static final int GRAPH_SIZE = 5;

    private final GgmlFunctions functions;
    private final GgmlOps ops;
    private final MethodHandle add;
    private final MethodHandle view;
    private final MethodHandle setInput;
    private final MethodHandle setOutput;
    private final MethodHandle setName;
    private final MethodHandle expand;

    private GgmlStructCheck(GgmlFunctions functions, GgmlOps ops) {
        NativeLibrary base = functions.library();
        this.functions = functions;
        this.ops = ops;
        this.add = base.function("ggml_add", ADDRESS, ADDRESS, ADDRESS, ADDRESS);
        this.view =
                base.function("ggml_view_2d", ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
        this.setInput = base.function("ggml_set_input", null, ADDRESS);
        this.setOutput = base.function("ggml_set_output", null, ADDRESS);
        this.setName = base.function("ggml_set_name", ADDRESS, ADDRESS, ADDRESS);
        this.expand = base.function("ggml_build_forward_expand", null, ADDRESS, ADDRESS);
    }

    /**
     * Does nothing if all is as described here.
     *
     * @throws MalformedDataException naming the first field that is not
     */
    static void check(GgmlFunctions functions, GgmlOps ops) {
        expect("size of a tensor", GgmlTensor.LAYOUT.byteSize(), functions.tensorOverhead() - CONTEXT_HEADER_BYTES);
        MemorySegment context = functions.newContext(ROOM);
        try {
            new GgmlStructCheck(functions, ops).run(context);
        } catch (MalformedDataException e) {
            throw e;
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        } finally {
            functions.freeContext(context);
        }
    }

    private void run(MemorySegment context) throws Throwable {
        GgmlTensor leaf = functions.newTensor(context, ElementType.I32.code(), 3, 5, 7, 11);
        setInput.invokeExact(leaf.struct());
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment _ = (MemorySegment) setName.invokeExact(leaf.struct(), arena.allocateFrom("a name"));
        }
        checkLeaf(leaf);

        GgmlTensor window = GgmlTensor.at((MemorySegment) view.invokeExact(context, leaf.struct(), 2L, 4L, 12L, 24L));
        checkView(window, leaf);

        GgmlTensor sum = GgmlTensor.at((MemorySegment) add.invokeExact(context, window.struct(), window.struct()));
        setOutput.invokeExact(sum.struct());
        checkNode(sum, window);

        GgmlGraph graph = functions.newGraph(context, GRAPH_SIZE);
        expand.invokeExact(graph.struct(), sum.struct());
        checkGraph(graph, leaf, window, sum);
    }

    private void checkLeaf(GgmlTensor leaf) {
        expect("type", ElementType.I32.code(), leaf.type());
        long stride = ElementType.I32.bytesPerBlock();
        long[] shape = {3, 5, 7, 11};
        for (int i = 0; i < shape.length; i++) {
            expect("ne", shape[i], leaf.dimension(i));
            expect("nb", stride, leaf.stride(i));
            stride *= shape[i];
        }
        expect("op", ops.code(Op.NONE), leaf.op());
        expect("flags", GgmlTensor.FLAG_INPUT, leaf.flags());
        expect("name", "a name", leaf.name());
        expect("data", 0L, leaf.data());
        expect("buffer", MemorySegment.NULL, leaf.buffer());
        expect("view_src", MemorySegment.NULL, leaf.viewSource());
    }

    private void checkView(GgmlTensor window, GgmlTensor leaf) {
        expect("op", ops.code(Op.VIEW), window.op());
        expect("src", leaf.struct().address(), window.source(0).address());
        expect("view_src", leaf.struct().address(), window.viewSource().address());
        expect("view_offs", 24L, window.viewOffset());
    }

    private void checkNode(GgmlTensor sum, GgmlTensor operand) {
        expect("op", ops.code(Op.ADD), sum.op());
        expect("flags", GgmlTensor.FLAG_OUTPUT, sum.flags() & GgmlTensor.FLAG_OUTPUT);
        expect("src", operand.struct().address(), sum.source(0).address());
        expect("src", operand.struct().address(), sum.source(1).address());
        for (int slot = 2; slot < GgmlTensor.MAX_SOURCES; slot++) {
            expect("src", MemorySegment.NULL, sum.source(slot));
        }
    }

    private static void checkGraph(GgmlGraph graph, GgmlTensor leaf, GgmlTensor window, GgmlTensor sum) {
        expect("size", GRAPH_SIZE, graph.size());
        expect("n_nodes", 2, graph.nodeCount());
        expect("n_leafs", 1, graph.leafCount());
        expect("nodes", window.struct().address(), graph.node(0).address());
        expect("nodes", sum.struct().address(), graph.node(1).address());
        expect("leafs", leaf.struct().address(), graph.leaf(0).address());
    }

    private static void expect(String field, Object expected, Object found) {
        if (!Objects.equals(expected, found)) {
            throw new MalformedDataException("this is not the ggml known here: '" + field + "' should be " + expected
                    + " at the described offset, but is " + found);
        }
    }
}
