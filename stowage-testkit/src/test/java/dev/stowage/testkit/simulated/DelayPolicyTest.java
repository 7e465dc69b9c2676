package dev.stowage.testkit.simulated;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class DelayPolicyTest {

    private static final Work LONG = new Work("gpu0", CallKind.SET, Optional.empty(), 0, TimeUnit.DAYS.toNanos(1));

    @Test
    void realWorkIsGivenUpWhenInterrupted() {
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> DelayPolicy.real().delay(LONG)).isInstanceOf(InterruptedException.class);
    }
}
