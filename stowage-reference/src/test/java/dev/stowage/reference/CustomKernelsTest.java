package dev.stowage.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.AccessException;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.reference.kernel.Computation;
import dev.stowage.tensor.CustomOp;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CustomKernelsTest {

    /** The sum of all sources, element by element. */
    private static final CustomOp SUM_OF_SOURCES = part -> {
        MemorySegment to = part.bytes(part.result());
        float[] sums = new float[Math.toIntExact(part.result().shape().elements())];
        for (int slot = 0; slot < part.result().sourceCount(); slot++) {
            MemorySegment from = part.bytes(part.result().source(slot));
            for (int i = 0; i < sums.length; i++) {
                sums[i] += from.getAtIndex(ValueLayout.JAVA_FLOAT, i);
            }
        }
        MemorySegment.copy(sums, 0, to, ValueLayout.JAVA_FLOAT, 0, sums.length);
    };

    private final Computation computation = new Computation();
    private final GraphBuilder ops = computation.ops();

    @AfterEach
    void giveMemoryBack() {
        computation.close();
    }

    @Test
    void computesFunctionsOfOneTwoThreeAndMoreOperands() {
        Tensor a = computation.f32(1, 2);
        Tensor b = computation.f32(10, 20);
        Tensor c = computation.f32(100, 200);
        assertThat(computation.compute(ops.mapCustom1(a, SUM_OF_SOURCES))).containsExactly(1, 2);
        assertThat(computation.compute(ops.mapCustom2(a, b, SUM_OF_SOURCES))).containsExactly(11, 22);
        assertThat(computation.compute(ops.mapCustom3(a, b, c, SUM_OF_SOURCES))).containsExactly(111, 222);
        Tensor four = ops.custom(ElementType.F32, Shape.of(2), SUM_OF_SOURCES, a, b, c, c);
        assertThat(computation.compute(four)).containsExactly(211, 422);
    }

    @Test
    void computesInTheBytesOfAnOperand() {
        Tensor a = computation.f32(1, 2);
        computation.compute(ops.mapCustom2Inplace(a, computation.f32(10, 20), SUM_OF_SOURCES, 1));
        assertThat(computation.read(a)).containsExactly(11, 22);
    }

    @Test
    void callsTheFunctionOnceForTheWholeResult() {
        List<String> calls = new ArrayList<>();
        computation.compute(
                ops.mapCustom1(computation.f32(1, 2), part -> calls.add(part.index() + " of " + part.count()), 8));
        assertThat(calls).containsExactly("0 of 1");
    }

    @Test
    void doesNotLetAFunctionWriteIntoItsSources() {
        Tensor result = ops.mapCustom1(
                computation.f32(1, 2),
                part -> part.bytes(part.result().source(0)).fill((byte) 0));
        assertThatThrownBy(() -> computation.compute(result)).isInstanceOf(DeviceException.class);
        assertThat(computation.read(result.source(0))).containsExactly(1, 2);
    }

    @Test
    void refusesBytesOfATensorThatIsNotASource() {
        Tensor other = computation.f32(3).named("other");
        Tensor result =
                ops.mapCustom1(computation.f32(1), part -> part.bytes(other).fill((byte) 0));
        assertThatThrownBy(() -> computation.compute(result))
                .isInstanceOf(DeviceException.class)
                .hasCauseInstanceOf(AccessException.class)
                .hasMessageContaining("'other'");
    }

    @Test
    void tellsWhatTheFunctionThrew() {
        IllegalStateException thrown = new IllegalStateException("no such table");
        Tensor result = ops.mapCustom1(computation.f32(1), _ -> {
            throw thrown;
        });
        assertThatThrownBy(() -> computation.compute(result))
                .isInstanceOf(DeviceException.class)
                .hasMessageContaining("no such table")
                .hasCause(thrown);
    }

    @Test
    void runsAgainAfterAFunctionThrew() {
        boolean[] failing = {true};
        Tensor result = ops.mapCustom1(computation.f32(1), part -> {
            if (failing[0]) {
                throw new IllegalStateException("not yet");
            }
            part.bytes(part.result()).set(ValueLayout.JAVA_FLOAT, 0, 7);
        });
        assertThatThrownBy(() -> computation.compute(result)).hasMessageContaining("not yet");
        failing[0] = false;
        assertThat(computation.compute(result)).containsExactly(7);
    }
}
