package dev.stowage.graph.wiring;

import dev.stowage.error.InvalidGraphException;
import dev.stowage.graph.Graph;
import dev.stowage.internal.IntList;
import dev.stowage.tensor.Tensor;
import java.util.Arrays;

/**
 * Builds a graph from the tensors of another, its <em>base</em>, and new ones, and rewires nodes to other sources. A
 * scheduler uses it to have a node read a copy of its operand. Neither the base nor any tensor is changed.
 *
 * <pre>{@code
 * GraphAssembly assembly = GraphAssembly.over(graph);
 * int copy = assembly.add(copyOfX);                    // a tensor that the base does not have
 * assembly.wire(graph.firstSlot(node), copy);          // that node now reads the copy
 * assembly.addNode(copy);
 * for (int id = 0; id < graph.nodeCount(); id++) {
 *     assembly.addNode(id);
 * }
 * Graph rewired = assembly.build();
 * }</pre>
 *
 * <p>Tensors are identified by number: those of the base by their id, new ones by the number {@link #add} returns. A
 * tensor that is read or viewed but not listed becomes an external. Not thread-safe; used once.
 */
public final class GraphAssembly {

    private static final int UNNUMBERED = -1;

    /** From which length on copying a part of an array in bulk is faster than one by one. */
    private static final int LONG_RUN = 16;

    private final Graph base;
    private final GraphArrays arrays;
    private final int[] wiring;
    private final IntList nodes;
    private final IntList leaves;

    private Tensor[] added;
    private int addedCount;
    private final IntList addedViewSources;
    private final IntList addedSlots;
    private final IntList addedSlotEnds;
    private byte[] marks;

    private GraphAssembly(Graph base, int additions) {
        this.base = base;
        this.arrays = GraphArrays.of(base);
        this.wiring = arrays.sources().clone();
        this.nodes = new IntList(base.size() + additions);
        this.leaves = new IntList(base.leafCount() + 16);
        this.added = new Tensor[additions];
        this.addedViewSources = new IntList(additions);
        this.addedSlots = new IntList(additions);
        this.addedSlotEnds = new IntList(additions);
        this.marks = Arrays.copyOf(arrays.marks(), base.size() + additions);
    }

    /** Starts with the tensors of a graph, none of them listed yet. */
    public static GraphAssembly over(Graph base) {
        return over(base, 16);
    }

    /** As {@link #over(Graph)}, with capacity for that many new tensors; it grows when more are added. */
    public static GraphAssembly over(Graph base, int additions) {
        return new GraphAssembly(base, Math.max(1, additions));
    }

    /** Adds a new tensor that reads and views nothing, and returns its number. */
    public int add(Tensor tensor) {
        return take(tensor, Graph.NO_ID);
    }

    /** Adds a new view, which reads its source, and returns its number. */
    public int addView(Tensor tensor, int viewSource) {
        addedSlots.add(checked(viewSource));
        int root = viewSource(viewSource);
        return take(tensor, root == Graph.NO_ID ? viewSource : root);
    }

    private int take(Tensor tensor, int viewSource) {
        if (addedCount == added.length) {
            added = Arrays.copyOf(added, 2 * addedCount);
        }
        int number = base.size() + addedCount;
        if (number == marks.length) {
            marks = Arrays.copyOf(marks, 2 * number);
        }
        added[addedCount++] = tensor;
        addedViewSources.add(viewSource);
        addedSlotEnds.add(addedSlots.size());
        marks[number] = GraphMarks.of(tensor);
        return number;
    }

    /** Rewires a source slot of the base to another tensor; see {@link Graph#firstSlot}. */
    public void wire(int slot, int number) {
        if (slot < 0 || slot >= wiring.length) {
            throw new InvalidGraphException("there is no slot " + slot + ": the base has " + wiring.length);
        }
        wiring[slot] = checked(number);
    }

    private int checked(int number) {
        if (number < 0 || number >= base.size() + addedCount) {
            throw new InvalidGraphException("there is no tensor number " + number + ": the base has " + base.size()
                    + ", and " + addedCount + " were added");
        }
        return number;
    }

    /** Marks a tensor as an input in the new graph; the tensor itself and the base are not changed. */
    public void markInput(int number) {
        marks[checked(number)] |= GraphMarks.INPUT;
    }

    /** Marks a tensor as an output in the new graph; the tensor itself and the base are not changed. */
    public void markOutput(int number) {
        marks[checked(number)] |= GraphMarks.OUTPUT;
    }

    /** Forbids a result to overwrite an operand in the new graph. */
    public void forbidInPlace(int number) {
        marks[checked(number)] |= GraphMarks.IN_PLACE_FORBIDDEN;
    }

    /** Lists a tensor as the next node. */
    public void addNode(int number) {
        nodes.add(checked(number));
    }

    /** Lists the tensors of an array from {@code from} up to but not including {@code to} as the next nodes. */
    public void addNodes(int[] numbers, int from, int to) {
        for (int i = from; i < to; i++) {
            checked(numbers[i]);
        }
        nodes.addAll(numbers, from, to);
    }

    /** Lists the tensors from number {@code from} up to but not including {@code to} as the next nodes. */
    public void addNodes(int from, int to) {
        if (from < to) {
            checked(from);
            checked(to - 1);
            nodes.addRange(from, to);
        }
    }

    /** Lists a tensor as the next leaf. */
    public void addLeaf(int number) {
        leaves.add(checked(number));
    }

    /**
     * The graph.
     *
     * @throws InvalidGraphException if a tensor is listed twice or a node comes before a node it reads or views; only
     *     view ops may come after their readers
     */
    public Graph build() {
        return assemble().graph();
    }

    /**
     * The graph with a mapping from numbers to ids: tensor number {@code n} has the id {@code ids()[n]}, or {@link
     * Graph#NO_ID} if it is not part of the graph.
     *
     * @throws InvalidGraphException as {@link #build()}
     */
    public GraphPart assemble() {
        Numbering numbering = new Numbering();
        Graph graph = numbering.build();
        return new GraphPart(graph, numbering.ids);
    }

    private int viewSource(int number) {
        return number < base.size() ? arrays.viewSources()[number] : addedViewSources.get(number - base.size());
    }

    private Tensor tensor(int number) {
        return number < base.size() ? arrays.tensors()[number] : added[number - base.size()];
    }

    /** Maps numbers to ids of the new graph, externals as they are found, and fills its arrays. */
    private final class Numbering {

        private final int baseSize = base.size();
        private final int nodeCount = nodes.size();
        private final int listed = nodeCount + leaves.size();
        private final int[] ids = new int[baseSize + addedCount];
        private final int[] order = nodes.intoArray(Math.max(listed, ids.length));
        private int count;

        Numbering() {
            Arrays.fill(ids, UNNUMBERED);
        }

        Graph build() {
            leaves.copyTo(order, nodeCount);
            while (count < listed) {
                number(order[count]);
            }
            int[] sourceStart = new int[listed + 1];
            int[] sources = wired(sourceStart);
            int[] newViewSources = wiredViewSources();
            Tensor[] tensors = new Tensor[count];
            byte[] newMarks = new byte[count];
            for (int id = 0; id < count; ) {
                int number = order[id];
                int run = runFrom(id);
                if (run >= LONG_RUN) {
                    System.arraycopy(arrays.tensors(), number, tensors, id, run);
                    System.arraycopy(marks, number, newMarks, id, run);
                    id += run;
                } else {
                    tensors[id] = tensor(number);
                    newMarks[id++] = marks[number];
                }
            }
            return new GraphArrays(
                            tensors,
                            nodeCount,
                            leaves.size(),
                            sourceStart,
                            sources,
                            newViewSources,
                            newMarks,
                            base,
                            order)
                    .toGraph();
        }

        /** How many tensors of the base follow each other from that id on, so that arrays can be copied in bulk. */
        private int runFrom(int id) {
            int number = order[id];
            int most = Math.min(count - id, baseSize - number);
            int run = 0;
            while (run < most && order[id + run] == number + run) {
                run++;
            }
            return run;
        }

        private void number(int number) {
            if (ids[number] != UNNUMBERED) {
                throw new InvalidGraphException(tensor(number).describe() + " is listed twice");
            }
            ids[number] = count++;
        }

        private int[] wired(int[] starts) {
            int[] sources = new int[wiring.length + addedSlots.size()];
            int next = 0;
            for (int id = 0; id < listed; id++) {
                int number = order[id];
                if (number < baseSize) {
                    int end = base.endSlot(number);
                    for (int slot = base.firstSlot(number); slot < end; slot++) {
                        int source = wiring[slot];
                        sources[next++] = source == Graph.NO_ID ? Graph.NO_ID : readable(id, source);
                    }
                } else {
                    int end = addedSlotEnds.get(number - baseSize);
                    int slot = number == baseSize ? 0 : addedSlotEnds.get(number - baseSize - 1);
                    for (; slot < end; slot++) {
                        sources[next++] = readable(id, addedSlots.get(slot));
                    }
                }
                starts[id + 1] = next;
            }
            return next == sources.length ? sources : Arrays.copyOf(sources, next);
        }

        private int[] wiredViewSources() {
            int[] all = new int[ids.length];
            for (int id = 0; id < count; id++) {
                int viewSource = viewSource(order[id]);
                int source = viewSource == Graph.NO_ID ? Graph.NO_ID : idOf(viewSource);
                if (isLater(source, id)) {
                    throw tooEarly(id, viewSource);
                }
                all[id] = source;
            }
            return count == all.length ? all : Arrays.copyOf(all, count);
        }

        /**
         * A view op may be listed after its readers, as nothing runs for it; what it is a view of may not.
         */
        private int readable(int id, int number) {
            int source = idOf(number);
            if (source > id && isLater(source, id)) {
                boolean isView = tensor(number).op().isViewOp() && viewSource(number) != Graph.NO_ID;
                if (!isView || isLater(idOf(viewSource(number)), id)) {
                    throw tooEarly(id, number);
                }
            }
            return source;
        }

        private boolean isLater(int source, int id) {
            return source > id && source < nodeCount;
        }

        private InvalidGraphException tooEarly(int id, int number) {
            return new InvalidGraphException(tensor(order[id]).describe() + " would run before its source "
                    + tensor(number).describe() + ": list a node after the nodes it reads and views");
        }

        private int idOf(int number) {
            int id = ids[number];
            if (id == UNNUMBERED) {
                id = count;
                ids[number] = id;
                order[count++] = number;
            }
            return id;
        }
    }
}
