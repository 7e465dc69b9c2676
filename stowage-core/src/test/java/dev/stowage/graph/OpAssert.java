package dev.stowage.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Strides;
import dev.stowage.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;

/** What a test says about the result of an op function, or about its refusal. */
final class OpAssert extends AbstractAssert<OpAssert, Tensor> {

    private OpAssert(Tensor actual) {
        super(actual, OpAssert.class);
    }

    static OpAssert assertResult(Tensor actual) {
        return new OpAssert(actual);
    }

    /** The call is refused in a message that names the op, the operands and the rule, and no tensor is added. */
    static void assertRefused(GraphBuilder builder, ThrowingCallable call, Op op, String rule, Tensor... operands) {
        List<Tensor> before = builder.tensors();

        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(call)
                .withMessageStartingWith(op.name())
                .withMessageContainingAll(
                        Stream.concat(Stream.of(rule), Arrays.stream(operands).map(Tensor::describe))
                                .toArray(String[]::new));
        assertThat(builder.tensors()).isEqualTo(before);
    }

    OpAssert computes(Op op) {
        assertThat(actual.op()).isEqualTo(op);
        return this;
    }

    OpAssert hasParameters(OpParameters parameters) {
        assertThat(actual.parameters()).isEqualTo(parameters);
        return this;
    }

    /** The source slots are exactly these, null for a gap. */
    OpAssert reads(@Nullable Tensor... sources) {
        assertThat(actual.sourceCount()).as("source slots").isEqualTo(sources.length);
        for (int i = 0; i < sources.length; i++) {
            Tensor expected = sources[i];
            if (expected == null) {
                assertThat(actual.hasSource(i)).as("source %d", i).isFalse();
            } else {
                assertThat(actual.source(i)).as("source %d", i).isSameAs(expected);
            }
        }
        return this;
    }

    /** The result has bytes of its own, without gaps, and this type and shape. */
    OpAssert isFresh(ElementType type, long... dimensions) {
        assertThat(actual.isView()).as("is a view").isFalse();
        assertThat(actual.type()).isEqualTo(type);
        assertThat(actual.shape()).isEqualTo(Shape.of(dimensions));
        long rowBytes = actual.dim(0) / type.blockSize() * type.bytesPerBlock();
        return hasStrides(
                type.bytesPerBlock(), rowBytes, rowBytes * actual.dim(1), rowBytes * actual.dim(1) * actual.dim(2));
    }

    OpAssert hasStrides(long s0, long s1, long s2, long s3) {
        assertThat(actual.strides()).isEqualTo(new Strides(s0, s1, s2, s3));
        return this;
    }

    OpAssert hasShape(long... dimensions) {
        assertThat(actual.shape()).isEqualTo(Shape.of(dimensions));
        return this;
    }

    OpAssert isViewOf(Tensor source, long offset) {
        assertThat(actual.viewSource()).isSameAs(source);
        assertThat(actual.viewOffset()).as("view offset").isEqualTo(offset);
        return this;
    }

    /** The result is a view of all of that tensor, which is not a view itself, and has its layout. */
    OpAssert overwrites(Tensor operand) {
        isViewOf(operand, 0);
        assertThat(actual.layout()).isEqualTo(operand.layout());
        return this;
    }
}
