package dev.stowage.testkit.simulated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.DeviceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FaultsTest {

    private final Faults faults = new Faults();

    private @Nullable FaultKind call(CallKind kind) {
        return faults.next(new Work("gpu0", kind, Optional.empty(), 0, 0));
    }

    @Test
    void strikeTheNthCallOfAKindOnce() {
        faults.fail(CallKind.SET, 2, FaultKind.FAILURE);

        assertThat(call(CallKind.SET)).isNull();
        assertThat(call(CallKind.GET)).isNull();
        assertThat(call(CallKind.SET)).isEqualTo(FaultKind.FAILURE);
        assertThat(call(CallKind.SET)).isNull();
    }

    @Test
    void strikeTheNthCallOfAnyKindOnce() {
        faults.failAny(2, FaultKind.HANG);

        assertThat(call(CallKind.SET)).isNull();
        assertThat(call(CallKind.COMPUTE)).isEqualTo(FaultKind.HANG);
        assertThat(call(CallKind.COMPUTE)).isNull();
    }

    @Test
    void countFromWhenTheyArePlanned() {
        call(CallKind.SET);
        call(CallKind.SET);
        faults.fail(CallKind.SET, 1, FaultKind.FAILURE);

        assertThat(call(CallKind.SET)).isEqualTo(FaultKind.FAILURE);
    }

    @Test
    void countEveryCallByKind() {
        call(CallKind.SET);
        call(CallKind.EVENT);
        call(CallKind.SET);

        assertThat(faults.calls(CallKind.SET)).isEqualTo(2);
        assertThat(faults.calls(CallKind.EVENT)).isEqualTo(1);
        assertThat(faults.calls(CallKind.COPY)).isZero();
        assertThat(faults.calls()).isEqualTo(3);
    }

    @Test
    void rememberWhatHasStruck() {
        faults.fail(CallKind.SET, 1, FaultKind.FAILURE);
        call(CallKind.GET);
        call(CallKind.SET);

        assertThat(faults.injected()).singleElement().satisfies(injected -> {
            assertThat(injected.fault()).isEqualTo(FaultKind.FAILURE);
            assertThat(injected.work().kind()).isEqualTo(CallKind.SET);
        });
    }

    @Test
    void canBeCalledOff() {
        faults.fail(CallKind.SET, 1, FaultKind.FAILURE)
                .failAny(1, FaultKind.HANG)
                .failRandomly(1, 1, FaultKind.FAILURE)
                .clear();

        assertThat(call(CallKind.SET)).isNull();
        assertThat(faults.injected()).isEmpty();
    }

    @Test
    void strikeAtRandomButTheSameWayForTheSameSeed() {
        List<Optional<FaultKind>> once = drawn(7);

        assertThat(drawn(7)).isEqualTo(once);
        assertThat(drawn(8)).isNotEqualTo(once);
        assertThat(once)
                .contains(Optional.empty(), Optional.of(FaultKind.FAILURE), Optional.of(FaultKind.OUT_OF_MEMORY))
                .doesNotContain(Optional.of(FaultKind.HANG));
    }

    private List<Optional<FaultKind>> drawn(long seed) {
        faults.failRandomly(seed, 0.5, FaultKind.FAILURE, FaultKind.OUT_OF_MEMORY);
        List<Optional<FaultKind>> drawn = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            drawn.add(Optional.ofNullable(call(CallKind.COMPUTE)));
        }
        return drawn;
    }

    @Test
    void refuseACallThatIsOver() {
        assertThatThrownBy(() -> faults.fail(CallKind.SET, 0, FaultKind.FAILURE))
                .isInstanceOf(DeviceException.class)
                .hasMessageContaining("0");
    }
}
