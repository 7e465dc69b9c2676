package dev.stowage.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.AccessException;
import dev.stowage.error.InvalidTensorException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TensorTest {

    private static final class FakeStorage extends Storage {

        private final String name;
        private final long size;
        private boolean closed;

        private FakeStorage(String name, long size) {
            this.name = name;
            this.size = size;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public long size() {
            return size;
        }

        @Override
        public boolean isClosed() {
            return closed;
        }
    }

    private static final Layout FLOATS = Layout.contiguous(ElementType.F32, 64);

    private static Tensor.Builder floats(long count) {
        return Tensor.builder(Layout.contiguous(ElementType.F32, count));
    }

    private final Tensor x = Tensor.leaf(FLOATS).named("x");

    @Nested
    class Sources {

        private final Tensor y = Tensor.leaf(FLOATS);

        @Test
        void areInTheirSlots() {
            Tensor sum = floats(64).op(Op.ADD).sources(x, y).build();

            assertThat(sum.sourceCount()).isEqualTo(2);
            assertThat(sum.source(0)).isSameAs(x);
            assertThat(sum.source(1)).isSameAs(y);
        }

        @Test
        void mayLeaveAGap() {
            Tensor gapped =
                    floats(64).op(Op.SOFT_MAX).sourceAt(0, x).sourceAt(2, y).build();

            assertThat(gapped.sourceCount()).isEqualTo(3);
            assertThat(gapped.hasSource(0)).isTrue();
            assertThat(gapped.hasSource(1)).isFalse();
            assertThat(gapped.source(2)).isSameAs(y);
        }

        @ParameterizedTest
        @ValueSource(ints = {-1, 1, 3, Integer.MAX_VALUE})
        void areRefusedWhereThereIsNone(int slot) {
            Tensor gapped = floats(64)
                    .op(Op.SOFT_MAX)
                    .sourceAt(0, x)
                    .sourceAt(2, y)
                    .name("gapped")
                    .build();

            assertThat(gapped.hasSource(slot)).isFalse();
            assertThatExceptionOfType(InvalidTensorException.class)
                    .isThrownBy(() -> gapped.source(slot))
                    .withMessageContainingAll("'gapped'", Integer.toString(slot));
        }

        @Test
        void mayIncludeTheTensorItself() {
            Tensor.Builder builder = floats(64).op(Op.CPY).sources(x).sourceItself(1);
            Tensor first = builder.build();
            Tensor second = builder.build();

            assertThat(first.sourceCount()).isEqualTo(2);
            assertThat(first.source(0)).isSameAs(x);
            assertThat(first.source(1)).isSameAs(first);
            assertThat(second.source(1)).isSameAs(second);
        }

        @Test
        void areNotChangedByTheArrayTheyWereGivenIn() {
            Tensor[] given = {x};
            Tensor node = floats(64).op(Op.CONT).sources(given).build();
            given[0] = y;

            assertThat(node.source(0)).isSameAs(x);
        }

        @Test
        void areNotChangedByWhatTheBuilderMakesNext() {
            Tensor.Builder builder = floats(64).op(Op.CONT).sources(x);
            Tensor first = builder.build();
            Tensor second = builder.sourceAt(0, y).build();

            assertThat(first.source(0)).isSameAs(x);
            assertThat(second.source(0)).isSameAs(y);
        }
    }

    @Nested
    class AView {

        @Test
        void sharesTheBytesOfItsSource() {
            Tensor view = floats(8).op(Op.VIEW).viewOf(x, 16).build();

            assertThat(view.isView()).isTrue();
            assertThat(view.viewSource()).isSameAs(x);
            assertThat(view.viewOffset()).isEqualTo(16);
            assertThat(view.byteSize()).isEqualTo(32);
        }

        @Test
        void ofAViewIsAViewOfTheSameBytes() {
            Tensor outer = floats(32).viewOf(x, 16).build();
            Tensor middle = floats(16).viewOf(outer, 32).build();
            Tensor inner = floats(4).viewOf(middle, 4).build();

            assertThat(inner.viewSource()).isSameAs(x);
            assertThat(inner.viewOffset()).isEqualTo(16 + 32 + 4);
        }

        @Test
        void mayReachUpToTheEndOfItsSource() {
            assertThat(floats(1).viewOf(x, 252).build().viewOffset()).isEqualTo(252);
            assertThat(floats(64).viewOf(x, 0).build().byteSize()).isEqualTo(x.byteSize());
        }

        @Test
        void mustNotReachBeyondItsSource() {
            assertThatExceptionOfType(InvalidTensorException.class)
                    .isThrownBy(() -> floats(1).viewOf(x, 253).build())
                    .withMessageContainingAll("'x'", "4 bytes", "253", "256");
            assertThatExceptionOfType(InvalidTensorException.class)
                    .isThrownBy(() -> floats(65).viewOf(x, 0).build())
                    .withMessageContainingAll("260 bytes", "256");
        }

        @Test
        void mustNotBeginBeforeItsSource() {
            assertThatExceptionOfType(InvalidTensorException.class)
                    .isThrownBy(() -> floats(1).viewOf(x, -4))
                    .withMessageContainingAll("'x'", "-4");
        }

        @Test
        void mustNotReachBeyondWhatALongCanCount() {
            Tensor outer = floats(32).viewOf(x, 16).build();

            assertThatExceptionOfType(InvalidTensorException.class)
                    .isThrownBy(() -> floats(1).viewOf(x, Long.MAX_VALUE).build());
            assertThatExceptionOfType(InvalidTensorException.class)
                    .isThrownBy(
                            () -> floats(1).viewOf(outer, Long.MAX_VALUE - 8).build());
            assertThatExceptionOfType(InvalidTensorException.class)
                    .isThrownBy(
                            () -> floats(0).viewOf(outer, Long.MAX_VALUE - 8).build());
        }

        @Test
        void mayHaveGapsAsLongAsItStaysWithinItsSource() {
            Layout every = Layout.strided(ElementType.F32, Shape.of(1, 16), new Strides(4, 16, 256, 256));
            Layout tooFar = Layout.strided(ElementType.F32, Shape.of(1, 17), new Strides(4, 16, 272, 272));

            assertThat(Tensor.builder(every).viewOf(x, 12).build().byteSize()).isEqualTo(15 * 16 + 4);
            assertThatExceptionOfType(InvalidTensorException.class)
                    .isThrownBy(() -> Tensor.builder(tooFar).viewOf(x, 0).build());
        }

        @Test
        void isNotWhatHasBytesOfItsOwn() {
            assertThat(x.isView()).isFalse();
            assertThat(x.viewOffset()).isZero();
            assertThatExceptionOfType(InvalidTensorException.class)
                    .isThrownBy(x::viewSource)
                    .withMessageContaining("'x'");
        }
    }

    @Nested
    class MemoryOfItsOwn {

        private final FakeStorage storage = new FakeStorage("somewhere", 1024);
        private final Tensor view = floats(8).viewOf(x, 16).name("view").build();

        @Test
        void isNotThereAtFirst() {
            assertThat(x.isPlaced()).isFalse();
            assertThat(view.isPlaced()).isFalse();
            assertThatExceptionOfType(AccessException.class)
                    .isThrownBy(x::storage)
                    .withMessageContainingAll("'x'", "bound graph");
            assertThatExceptionOfType(AccessException.class).isThrownBy(view::storageOffset);
        }

        @Test
        void isWhereATensorWasPlaced() {
            x.place(storage, 512);

            assertThat(x.isPlaced()).isTrue();
            assertThat(x.storage()).isSameAs(storage);
            assertThat(x.storageOffset()).isEqualTo(512);
        }

        @Test
        void ofAViewIsThatOfItsSource() {
            x.place(storage, 512);

            assertThat(view.isPlaced()).isTrue();
            assertThat(view.storage()).isSameAs(storage);
            assertThat(view.storageOffset()).isEqualTo(528);
        }

        @Test
        void isGivenOnce() {
            x.place(storage, 512);

            assertThatExceptionOfType(AccessException.class)
                    .isThrownBy(() -> x.place(new FakeStorage("elsewhere", 1024), 0))
                    .withMessageContainingAll("'x'", "512", "somewhere");
            assertThatExceptionOfType(AccessException.class).isThrownBy(() -> x.place(storage, 512));
            assertThat(x.storage()).isSameAs(storage);
            assertThat(x.storageOffset()).isEqualTo(512);
        }

        @Test
        void mayBeOtherMemoryOnceTheFirstIsClosed() {
            x.place(storage, 512);
            storage.closed = true;
            assertThat(x.isPlaced()).as("until it has other memory").isTrue();
            FakeStorage next = new FakeStorage("next", 256);
            x.place(next, 0);

            assertThat(x.storage()).isSameAs(next);
            assertThat(view.storage()).isSameAs(next);
            assertThat(view.storageOffset()).isEqualTo(16);
        }

        @Test
        void ofAViewCannotBeGiven() {
            assertThatExceptionOfType(InvalidTensorException.class)
                    .isThrownBy(() -> view.place(storage, 0))
                    .withMessageContainingAll("'view'", "'x'");
            assertThat(x.isPlaced()).isFalse();
        }

        @Test
        void mayBeTheEndOfItsStorage() {
            x.place(storage, 768);

            assertThat(x.storageOffset()).isEqualTo(768);
        }

        @ParameterizedTest
        @ValueSource(longs = {-1, 769, 1024, Long.MAX_VALUE, Long.MIN_VALUE})
        void mustBeWithinItsStorage(long offset) {
            assertThatExceptionOfType(AccessException.class)
                    .isThrownBy(() -> x.place(storage, offset))
                    .withMessageContainingAll("'x'", "256", Long.toString(offset), "somewhere", "1024");
            assertThat(x.isPlaced()).isFalse();
        }

        @Test
        void mustBeLargeEnough() {
            assertThatExceptionOfType(AccessException.class)
                    .isThrownBy(() -> x.place(new FakeStorage("small", 255), 0))
                    .withMessageContainingAll("small", "255");
        }

        @Test
        void ofAnEmptyTensorMayBeTheEndOfItsStorage() {
            Tensor empty = floats(0).build();
            empty.place(storage, 1024);

            assertThat(empty.storageOffset()).isEqualTo(1024);
        }
    }

    @Nested
    class Marks {

        @Test
        void areNoneAtFirst() {
            assertThat(x.isInput()).isFalse();
            assertThat(x.isOutput()).isFalse();
            assertThat(x.isWeight()).isFalse();
        }

        @Test
        void areIndependentOfEachOther() {
            assertThat(Tensor.leaf(FLOATS).asInput()).matches(t -> t.isInput() && !t.isOutput() && !t.isWeight());
            assertThat(Tensor.leaf(FLOATS).asOutput()).matches(t -> !t.isInput() && t.isOutput() && !t.isWeight());
            assertThat(Tensor.leaf(FLOATS).asWeight()).matches(t -> !t.isInput() && !t.isOutput() && t.isWeight());
            assertThat(Tensor.leaf(FLOATS).asInput().asOutput().asWeight())
                    .matches(t -> t.isInput() && t.isOutput() && t.isWeight());
        }

        @Test
        void returnTheTensorItself() {
            assertThat(x.asInput().asOutput().asWeight().named("y")).isSameAs(x);
        }
    }

    @Test
    void aNameThatIsMadeWhenAskedForIsMadeOnce() {
        AtomicInteger made = new AtomicInteger();
        Tensor tensor = Tensor.leaf(FLOATS).named(() -> "copy " + made.incrementAndGet());
        assertThat(made).hasValue(0);

        assertThat(tensor.describe()).startsWith("'copy 1'");
        assertThat(tensor.name()).isEqualTo("copy 1");
    }

    @Test
    void aTensorWithoutAnOpIsALeaf() {
        assertThat(x.isLeaf()).isTrue();
        assertThat(x.op()).isEqualTo(Op.NONE);
        assertThat(x.parameters()).isEqualTo(OpParameters.NONE);
        assertThat(x.sourceCount()).isZero();
        assertThat(floats(1).op(Op.CONT).build().isLeaf()).isFalse();
    }

    @Test
    void keepsTheParametersOfItsOp() {
        OpParameters.Scale parameters = new OpParameters.Scale(2, 1);

        assertThat(floats(1).op(Op.SCALE, parameters).build().parameters()).isEqualTo(parameters);
    }

    @Test
    void laterTensorsHaveLargerSerials() {
        Tensor first = Tensor.leaf(FLOATS);
        Tensor second = Tensor.leaf(FLOATS);

        assertThat(second.serial()).isGreaterThan(first.serial());
    }

    @Test
    void knowsItsLayoutByDimension() {
        Tensor tensor = Tensor.leaf(Layout.contiguous(ElementType.F16, 3, 5));

        assertThat(tensor.dim(0)).isEqualTo(3);
        assertThat(tensor.dim(1)).isEqualTo(5);
        assertThat(tensor.stride(1)).isEqualTo(6);
        assertThat(tensor.type()).isEqualTo(ElementType.F16);
        assertThat(tensor.byteSize()).isEqualTo(30);
    }

    @Test
    void describesItselfByNameOpAndLayout() {
        assertThat(x.describe()).isEqualTo("'x' (f32[64])");
        assertThat(floats(2).op(Op.MUL_MAT).name("y").build()).hasToString("'y' (MUL_MAT f32[2])");
    }
}
