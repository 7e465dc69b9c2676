package dev.stowage.rpc.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.rpc.wire.GraphMessage;
import dev.stowage.rpc.wire.WireTensor;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** Two messages that describe the same graph with other ids, compared tensor by tensor and field by field. */
final class GraphComparison {

    /** Two tensors that have to be the same. */
    private record Pair(long theirs, long ours) {}

    private final String what;
    private final RecordedMemory memory;
    private final Map<Long, WireTensor> theirs;
    private final Map<Long, WireTensor> ours;
    private final Map<Long, Long> oursOfTheirs = new HashMap<>();
    private final Deque<Pair> open = new ArrayDeque<>();

    private GraphComparison(String what, GraphMessage theirs, GraphMessage ours, RecordedMemory memory) {
        this.what = what;
        this.memory = memory;
        this.theirs = byId(theirs);
        this.ours = byId(ours);
    }

    private static Map<Long, WireTensor> byId(GraphMessage graph) {
        Map<Long, WireTensor> all = new HashMap<>();
        for (int i = 0; i < graph.tensorCount(); i++) {
            all.put(graph.tensor(i).id(), graph.tensor(i));
        }
        return all;
    }

    static void verifySame(String what, GraphMessage theirs, GraphMessage ours, RecordedMemory memory) {
        GraphComparison comparison = new GraphComparison(what, theirs, ours, memory);
        assertThat(ours.nodeCount()).as("nodes of %s", what).isEqualTo(theirs.nodeCount());
        assertThat(ours.tensorCount()).as("tensors of %s", what).isEqualTo(theirs.tensorCount());
        for (int i = 0; i < theirs.nodeCount(); i++) {
            comparison.pair(theirs.node(i), ours.node(i));
        }
        comparison.compare();
        assertThat(comparison.oursOfTheirs).hasSize(theirs.tensorCount());
    }

    /** One tensor is always the same other one. */
    private void pair(long their, long our) {
        Long known = oursOfTheirs.putIfAbsent(their, our);
        assertThat(known == null ? our : known).as(what).isEqualTo(our);
        if (known == null) {
            open.add(new Pair(their, our));
        }
    }

    private void compare() {
        while (!open.isEmpty()) {
            Pair pair = open.remove();
            WireTensor their = Objects.requireNonNull(theirs.get(pair.theirs));
            WireTensor our = Objects.requireNonNull(ours.get(pair.ours));
            String tensor = "'" + their.name() + "' of " + what;
            verifyFields(tensor, their, our);
            for (int slot = 0; slot < WireTensor.SOURCES; slot++) {
                pairOrNone("source " + slot + " of " + tensor, their.src(slot), our.src(slot));
            }
            pairOrNone("viewed by " + tensor, their.viewSrc(), our.viewSrc());
        }
    }

    private void pairOrNone(String field, long their, long our) {
        assertThat(our == 0).as(field).isEqualTo(their == 0);
        if (their != 0) {
            pair(their, our);
        }
    }

    private void verifyFields(String tensor, WireTensor their, WireTensor our) {
        assertThat(our.name()).as("name of %s", tensor).isEqualTo(their.name());
        assertThat(our.type()).as("type of %s", tensor).isEqualTo(their.type());
        assertThat(our.op()).as("op of %s", tensor).isEqualTo(their.op());
        for (int i = 0; i < 4; i++) {
            assertThat(our.ne(i)).as("ne[%d] of %s", i, tensor).isEqualTo(their.ne(i));
            assertThat(our.nb(i)).as("nb[%d] of %s", i, tensor).isEqualTo(their.nb(i));
        }
        for (int word = 0; word < WireTensor.PARAMETERS; word++) {
            assertThat(our.parameter(word))
                    .as("op_params[%d] of %s, op %d", word, tensor, their.op())
                    .isEqualTo(their.parameter(word));
        }
        assertThat(our.viewOffset()).as("view_offs of %s", tensor).isEqualTo(their.viewOffset());
        assertThat(RecordedMemory.place(our)).as("memory of %s", tensor).isEqualTo(memory.recordedPlace(their));
        assertThat(our.flags()).as("flags of %s", tensor).isEqualTo(their.flags());
        verifyUseCount(tensor, their, our);
    }

    /**
     * Ours counts the caller among those who use a result, which llama.cpp's client leaves to the flag alone. Its scheduler
     * does not count the uses of inputs that it has copied to a device, and no server asks for those of a leaf.
     */
    private static void verifyUseCount(String tensor, WireTensor their, WireTensor our) {
        int caller = (their.flags() & WireTensor.OUTPUT) == 0 ? 0 : 1;
        boolean isCopiedInput =
                their.op() == 0 && their.useCount() == 0 && their.name().contains("#");
        if (!isCopiedInput) {
            assertThat(our.useCount()).as("use_count of %s", tensor).isEqualTo(their.useCount() + caller);
        }
    }
}
