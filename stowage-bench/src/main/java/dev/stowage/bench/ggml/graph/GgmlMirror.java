package dev.stowage.bench.ggml.graph;

import dev.stowage.bench.ggml.GgmlFunctions;
import dev.stowage.bench.ggml.GgmlGraph;
import dev.stowage.bench.ggml.GgmlLibrary;
import dev.stowage.bench.ggml.GgmlTensor;
import dev.stowage.error.ClosedException;
import dev.stowage.error.InvalidGraphException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.graph.Graph;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.function.IntPredicate;

/**
 * A graph of ours rebuilt inside ggml: the same tensors with the same types, shapes, strides, ops, marks, sources and
 * views, and the same nodes and leaves in the same order. Op parameters are left zero, since planning does not look at
 * them; a {@link GgmlCompute} writes them, and gives the tensors memory, to run the graph.
 *
 * <p>What is fixed in our graph gets an address that is not null and must not be touched, which is how ggml knows that
 * nothing is to be planned there. The mirror copies the graph when it is made and holds native memory until it is
 * closed. It belongs to one thread at a time.
 */
public final class GgmlMirror implements AutoCloseable {

    /** An address that no tensor of a plan can have. */
    private static final long ELSEWHERE = 0x1000;

    private final GgmlLibrary library;
    private final Graph graph;
    private final boolean[] fixed;
    private final GgmlTensor[] tensors;
    private final MemorySegment context;
    private final GgmlGraph mirrored;
    private boolean closed;

    private GgmlMirror(GgmlLibrary library, Graph graph, IntPredicate fixed) {
        this.library = library;
        this.graph = graph;
        this.fixed = new boolean[graph.size()];
        this.tensors = new GgmlTensor[graph.size()];
        for (int id = 0; id < this.fixed.length; id++) {
            this.fixed[id] = fixed.test(id);
        }
        requireFewSources();
        GgmlFunctions functions = library.functions();
        int lists = Math.max(1, Math.max(graph.nodeCount(), graph.leafCount()));
        this.context = functions.newContext(functions.graphOverhead(lists) + graph.size() * functions.tensorOverhead());
        try {
            makeTensors();
            this.mirrored = makeGraph(lists);
            forgetPlaces();
            check();
        } catch (RuntimeException | Error e) {
            functions.freeContext(context);
            throw e;
        }
    }

    /** A mirror in which weights, and tensors that have memory now, are fixed. */
    public static GgmlMirror of(GgmlLibrary library, Graph graph) {
        return of(library, graph, id -> graph.isWeight(id) || graph.tensor(id).isPlaced());
    }

    /**
     * A mirror in which the tensors with those ids are fixed.
     *
     * @throws InvalidGraphException if a tensor has more sources than ggml has slots for
     * @throws MalformedDataException if an op is unknown to ggml, or ggml sees another graph than was written
     */
    public static GgmlMirror of(GgmlLibrary library, Graph graph, IntPredicate fixed) {
        return new GgmlMirror(library, graph, fixed);
    }

    private void requireFewSources() {
        for (int id = 0; id < tensors.length; id++) {
            int slots = graph.endSlot(id) - graph.firstSlot(id);
            if (slots > GgmlTensor.MAX_SOURCES) {
                throw new InvalidGraphException(graph.tensor(id).describe() + " has " + slots
                        + " source slots, ggml has room for " + GgmlTensor.MAX_SOURCES);
            }
        }
    }

    private void makeTensors() {
        for (int id = 0; id < tensors.length; id++) {
            Tensor ours = graph.tensor(id);
            Shape shape = ours.shape();
            tensors[id] = library.functions()
                    .newTensor(context, ours.type().code(), shape.d0(), shape.d1(), shape.d2(), shape.d3());
        }
        for (int id = 0; id < tensors.length; id++) {
            describe(id);
            wire(id);
        }
    }

    private void describe(int id) {
        Tensor ours = graph.tensor(id);
        GgmlTensor theirs = tensors[id];
        for (int i = 0; i < Shape.RANK; i++) {
            theirs.setDimension(i, ours.dim(i));
            theirs.setStride(i, ours.stride(i));
        }
        theirs.setOp(library.ops().code(graph.op(id)));
        theirs.setFlags(
                (graph.isInput(id) ? GgmlTensor.FLAG_INPUT : 0) | (graph.isOutput(id) ? GgmlTensor.FLAG_OUTPUT : 0));
        theirs.setName(graph.label(id));
    }

    private void wire(int id) {
        int first = graph.firstSlot(id);
        for (int slot = first; slot < graph.endSlot(id); slot++) {
            if (graph.sourceAt(slot) != Graph.NO_ID) {
                tensors[id].setSource(slot - first, tensors[graph.sourceAt(slot)]);
            }
        }
        if (graph.viewSource(id) != Graph.NO_ID) {
            tensors[id].setView(tensors[graph.viewSource(id)], graph.tensor(id).viewOffset());
        }
    }

    private GgmlGraph makeGraph(int lists) {
        GgmlGraph made = library.functions().newGraph(context, lists);
        for (int i = 0; i < graph.nodeCount(); i++) {
            library.functions().addNode(made, tensors[i]);
        }
        for (int i = 0; i < graph.leafCount(); i++) {
            made.addLeaf(tensors[graph.nodeCount() + i]);
        }
        return made;
    }

    /** Takes every tensor out of the buffer a plan put it into, so that the mirror can be planned anew. */
    public void forgetPlaces() {
        requireOpen();
        for (int id = 0; id < tensors.length; id++) {
            int source = graph.viewSource(id);
            boolean placed = fixed[source == Graph.NO_ID ? id : source];
            tensors[id].setData(placed ? ELSEWHERE + graph.tensor(id).viewOffset() : 0);
        }
    }

    /** Asks ggml about the mirror, in ggml's own words, and compares with our graph. */
    private void check() {
        GgmlFunctions functions = library.functions();
        expect("the graph", "nodes", graph.nodeCount(), functions.nodeCount(mirrored));
        expect("the graph", "leaves", graph.leafCount(), mirrored.leafCount());
        for (int id = 0; id < tensors.length; id++) {
            Tensor ours = graph.tensor(id);
            GgmlTensor theirs = graph.isNode(id) ? functions.node(mirrored, id) : tensors[id];
            expect(ours.describe(), "place in the list", true, theirs.isAt(tensors[id].struct()));
            expect(ours.describe(), "bytes", ours.byteSize(), functions.byteSize(theirs));
            expect(ours.describe(), "type", ours.type().label(), functions.typeName(theirs.type()));
            expect(ours.describe(), "op", ours.op().name(), functions.opName(theirs.op()));
            expect(ours.describe(), "name", GgmlTensor.fitting(graph.label(id)), functions.name(theirs));
        }
    }

    private static void expect(String where, String what, Object ours, Object theirs) {
        if (!ours.equals(theirs)) {
            throw new MalformedDataException("the mirror of " + where + " differs in ggml's eyes: its " + what
                    + " should be " + ours + ", ggml says " + theirs);
        }
    }

    /** The graph that is mirrored. */
    public Graph graph() {
        return graph;
    }

    public GgmlLibrary library() {
        return library;
    }

    /** Whether ggml takes the tensor with that id as one that has memory of its own. */
    public boolean isFixed(int id) {
        return fixed[id];
    }

    public GgmlGraph mirrored() {
        requireOpen();
        return mirrored;
    }

    public GgmlTensor tensor(int id) {
        requireOpen();
        return tensors[id];
    }

    private void requireOpen() {
        if (closed) {
            throw new ClosedException("the mirror of " + graph + " is closed");
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            library.functions().freeContext(context);
        }
    }
}
