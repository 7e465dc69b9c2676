package dev.stowage.testkit.op;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.plan.InPlaceRules;
import dev.stowage.reference.ReferenceProvider;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What an op declares it may overwrite, held against the reference: each case is computed once with the result in a
 * place of its own and once over the operand, and the bytes must be the same.
 */
class InPlaceOpsTest {

    private static final Device REFERENCE = new ReferenceProvider().devices().getFirst();
    private static final InPlaceRules RULES = InPlaceRules.kernels();
    private static final long RANDOM_SEED = 5;
    private static final int RANDOM_CASES = 20;

    /** Not a number in every float type. */
    private static final byte POISON = (byte) 0xff;

    /** A case and the slot of the operand its result is to overwrite. */
    private record Candidate(OpCase opCase, int slot) {

        Tensor subject(OpGraph made) {
            return made.subject(opCase.op());
        }

        Tensor overwritten(OpGraph made) {
            return owner(subject(made).source(slot));
        }

        @Override
        public String toString() {
            return opCase.name() + ", over operand " + slot;
        }
    }

    private static Stream<Candidate> candidates(Op op) {
        return Stream.concat(OpCases.of(op).stream(), OpCases.random(op, RANDOM_SEED, RANDOM_CASES).stream())
                .filter(opCase -> OpRun.support(REFERENCE, opCase).isSupported())
                .flatMap(InPlaceOpsTest::candidates);
    }

    private static Stream<Candidate> candidates(OpCase opCase) {
        OpGraph made = opCase.build();
        Tensor subject = made.subject(opCase.op());
        List<Candidate> candidates = new ArrayList<>();
        for (int slot = 0; slot < subject.sourceCount() && !subject.isView(); slot++) {
            if (subject.hasSource(slot) && mayOverwrite(made, subject, slot)) {
                candidates.add(new Candidate(opCase, slot));
            }
        }
        return candidates.stream();
    }

    private static boolean mayOverwrite(OpGraph made, Tensor subject, int slot) {
        Tensor operand = subject.source(slot);
        long readers = made.graph().nodes().stream()
                .filter(node -> !node.op().isViewOp())
                .flatMap(InPlaceOpsTest::sources)
                .filter(source -> owner(source).equals(owner(operand)))
                .count();
        return RULES.allow(subject.op(), slot)
                && operand.layout().equals(subject.layout())
                && operand.viewOffset() == 0
                && operand.byteSize() > 0
                && readers == 1;
    }

    private static Stream<Tensor> sources(Tensor node) {
        return Stream.iterate(0, slot -> slot < node.sourceCount(), slot -> slot + 1)
                .filter(node::hasSource)
                .map(node::source);
    }

    private static Tensor owner(Tensor tensor) {
        return tensor.isView() ? tensor.viewSource() : tensor;
    }

    static Stream<Op> ops() {
        return OpCases.ops().stream().filter(op -> Stream.of(0, 1, 2).anyMatch(slot -> RULES.allow(op, slot)));
    }

    @ParameterizedTest
    @MethodSource("ops")
    void theBytesAreTheSameOverAnOperandThatMayBeOverwritten(Op op) {
        assertThat(candidates(op)).isNotEmpty().allSatisfy(candidate -> {
            OpGraph apart = candidate.opCase().build();
            OpGraph over = candidate.opCase().build();
            byte[] expected = computed(apart, Map.of());
            byte[] found = computed(over, Map.of(candidate.subject(over), candidate.overwritten(over)));
            assertThat(found).as("%s, seed %d", candidate, RANDOM_SEED).isEqualTo(expected);
        });
    }

    /** An operand that ggml keeps apart is declared one by one, so each has to be tried. */
    @Test
    void everyDeclaredOperandIsTried() {
        ops().filter(op -> !op.canWorkInPlace()).forEach(op -> {
            List<Integer> declared =
                    Stream.of(0, 1, 2, 3).filter(op::mayOverwrite).toList();
            assertThat(candidates(op).map(Candidate::slot)).as(op.name()).containsAll(declared);
        });
    }

    @Test
    void opsThatNoCaseCanTryAreTheOnesNoFunctionMakes() {
        Set<Op> untried = EnumSet.allOf(Op.class);
        untried.removeIf(op -> !op.mayOverwrite(0) && !op.mayOverwrite(1));
        ops().forEach(untried::remove);
        assertThat(untried).allSatisfy(op -> assertThat(OpCases.of(op)).isEmpty());
        assertThat(untried).allSatisfy(op -> assertThat(op.canWorkInPlace()).isTrue());
    }

    /** Computes a case, with some tensors at the place of others, and returns the bytes of its result. */
    private static byte[] computed(OpGraph made, Map<Tensor, Tensor> over) {
        HostBufferType type = HostBufferType.standard();
        Map<Tensor, Long> offsets = new HashMap<>();
        long size = 0;
        for (Tensor tensor : OpRun.tensors(made.graph())) {
            if (tensor.isView()) {
                continue;
            }
            Tensor place = over.get(tensor);
            offsets.put(tensor, place == null ? size : Objects.requireNonNull(offsets.get(place)));
            size += place == null ? Math.ceilDiv(tensor.byteSize(), type.alignment()) * type.alignment() : 0;
        }
        try (Buffer buffer = type.allocate(size);
                Backend backend = REFERENCE.open()) {
            poison(buffer, size);
            offsets.forEach(buffer::place);
            OpRun.fill(made);
            backend.compute(made.graph());
            byte[] result = new byte[Math.toIntExact(made.result().byteSize())];
            buffer.get(made.result(), 0, MemorySegment.ofArray(result));
            return result;
        }
    }

    private static void poison(Buffer buffer, long size) {
        Tensor all = Tensor.leaf(Layout.contiguous(ElementType.I8, size));
        buffer.place(all, 0);
        byte[] bytes = new byte[Math.toIntExact(size)];
        Arrays.fill(bytes, POISON);
        buffer.set(all, 0, MemorySegment.ofArray(bytes));
    }
}
