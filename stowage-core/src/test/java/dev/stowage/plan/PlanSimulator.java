package dev.stowage.plan;

import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferType;
import dev.stowage.tensor.Tensor;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Runs a plan abstractly and says what goes wrong, knowing nothing of lives and sharing nothing with the validator or a
 * planner. It keeps two records of who wrote which byte last: one per tensor, as if every tensor had memory of its own,
 * and one per chunk of planned memory. Wherever a tensor is read, the two must agree.
 *
 * <ul>
 *   <li>Before the first node the caller writes all leaves and inputs, and finds them all intact.
 *   <li>A node reads all of its sources. Its kernel may write any byte of its result before it has read any of its
 *       operands, except the one operand in whose place it is allowed, and said, to be computed.
 *   <li>A result that is a view is written into the bytes of its source, the rest of which stays.
 *   <li>After the last node the caller finds all outputs intact. An output that is a view of a tensor which is not an
 *       output may have been overwritten, as by ggml, unless the simulator is to be strict.
 * </ul>
 */
final class PlanSimulator {

    /** What went wrong first. */
    record Fault(Kind kind, String message) {}

    /** When it went wrong. */
    enum Kind {
        /** Already when the places were looked at. */
        PLACE,
        /** When the caller had written all leaves and inputs. */
        START,
        /** When a node ran. */
        READ,
        /** When the caller read the outputs. */
        OUTPUT
    }

    private static final int BEFORE = -1;
    private static final int NO_SLOT = -1;

    private record Chunk(BufferType type, int number) {}

    private final MemoryPlan plan;
    private final Graph graph;
    private final InPlaceRules rules;
    private final boolean isStrict;
    private final ByteVersions[] expected;
    private final Map<Chunk, ByteVersions> memory = new HashMap<>();
    private long version = ByteVersions.UNWRITTEN;

    private PlanSimulator(MemoryPlan plan, InPlaceRules rules, boolean isStrict) {
        this.plan = plan;
        this.graph = plan.graph();
        this.rules = rules;
        this.isStrict = isStrict;
        this.expected = new ByteVersions[graph.size()];
        Arrays.setAll(expected, _ -> new ByteVersions());
    }

    /** What goes wrong first when kernels that can do so much in place run a plan; empty for a good one. */
    static Optional<Fault> run(MemoryPlan plan, InPlaceRules rules) {
        return new PlanSimulator(plan, rules, false).run();
    }

    /** As {@link #run}, where every output is to be kept, views included. */
    static Optional<Fault> runStrictly(MemoryPlan plan, InPlaceRules rules) {
        return new PlanSimulator(plan, rules, true).run();
    }

    private Optional<Fault> run() {
        return fault(Kind.PLACE, new PlaceInspection(plan, rules).firstFault())
                .or(() -> fault(Kind.START, start()))
                .or(() -> fault(Kind.READ, first(0, graph.nodeCount(), this::step)))
                .or(() -> fault(Kind.OUTPUT, first(0, graph.size(), this::output)));
    }

    private static Optional<Fault> fault(Kind kind, Optional<String> message) {
        return message.map(text -> new Fault(kind, text));
    }

    private interface Inspection {
        Optional<String> of(int id);
    }

    private static Optional<String> first(int from, int to, Inspection inspection) {
        for (int id = from; id < to; id++) {
            Optional<String> found = inspection.of(id);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private Optional<String> start() {
        int[] given = IntStream.range(0, graph.size())
                .filter(id -> isPlanned(id) && (!graph.isNode(id) || graph.isInput(id)))
                .toArray();
        for (int id : given) {
            write(id, 0, plan.size(id));
        }
        return first(0, given.length, i -> intact(given[i], BEFORE));
    }

    private Optional<String> step(int node) {
        if (graph.viewSource(node) != Graph.NO_ID) {
            return stepThroughView(node);
        }
        int overwritten = overwrittenSlot(node);
        // What the caller gave stays until the node replaces it.
        Optional<String> found = (graph.isInput(node) ? intact(node, node) : Optional.<String>empty())
                .or(() -> overwritten == NO_SLOT ? Optional.empty() : read(overwritten, node));
        if (isPlanned(node)) {
            memory(node).write(plan.offset(node), plan.offset(node) + plan.size(node), ++version);
        }
        // What a node reads of itself, it has just written.
        found = found.or(() -> first(
                graph.firstSlot(node),
                graph.endSlot(node),
                slot -> slot == overwritten || graph.sourceAt(slot) == node ? Optional.empty() : read(slot, node)));
        if (isPlanned(node)) {
            write(node, 0, plan.size(node));
        }
        return found;
    }

    /** The slot of the operand in whose place a node is computed; only one, though several may read the same bytes. */
    private int overwrittenSlot(int node) {
        int firstSlot = graph.firstSlot(node);
        return IntStream.range(firstSlot, graph.endSlot(node))
                .filter(slot -> PlaceInspection.isInPlace(plan, rules, node, slot - firstSlot))
                .findFirst()
                .orElse(NO_SLOT);
    }

    private Optional<String> stepThroughView(int node) {
        Optional<String> found = first(graph.firstSlot(node), graph.endSlot(node), slot -> read(slot, node));
        if (graph.isComputed(node) && !graph.isViewOp(node) && isPlanned(graph.viewSource(node))) {
            found = found.or(() -> intact(node, node));
            Tensor tensor = graph.tensor(node);
            write(graph.viewSource(node), tensor.viewOffset(), tensor.viewOffset() + tensor.byteSize());
        }
        return found;
    }

    private Optional<String> read(int slot, int time) {
        int source = graph.sourceAt(slot);
        return source == Graph.NO_ID ? Optional.empty() : intact(source, time);
    }

    private Optional<String> output(int id) {
        boolean isKept = graph.viewSource(id) == Graph.NO_ID || isStrict;
        return graph.isOutput(id) && isKept ? intact(id, graph.nodeCount()) : Optional.empty();
    }

    /** Finds bytes of a tensor or view that were last written by another than is to have written them last. */
    private Optional<String> intact(int id, int time) {
        int owner = owner(id);
        if (!isPlanned(owner)) {
            return Optional.empty();
        }
        long from = owner == id ? 0 : graph.tensor(id).viewOffset();
        long to = from + graph.tensor(id).byteSize();
        long wrong = expected[owner].firstDifference(from, to, memory(owner), plan.offset(owner));
        return wrong == to
                ? Optional.empty()
                : Optional.of("byte " + wrong + " of tensor " + owner + ", reached through " + id
                        + ", has been overwritten at " + time);
    }

    private void write(int owner, long from, long to) {
        version++;
        expected[owner].write(from, to, version);
        memory(owner).write(plan.offset(owner) + from, plan.offset(owner) + to, version);
    }

    private int owner(int id) {
        return graph.viewSource(id) == Graph.NO_ID ? id : graph.viewSource(id);
    }

    private boolean isPlanned(int id) {
        return plan.buffer(id) != MemoryPlan.NOT_PLANNED;
    }

    private ByteVersions memory(int id) {
        BufferType type = plan.request().bufferType(plan.buffer(id));
        return memory.computeIfAbsent(new Chunk(type, plan.chunk(id)), _ -> new ByteVersions());
    }
}
