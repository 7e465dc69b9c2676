package dev.stowage.cli.option;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LoadProgressTest {

    @Test
    void saysHowFarLoadingIs() {
        assertThat(LoadProgress.text(3 << 20, 4 << 20)).isEqualTo("loading, 75 %, 3.00 MiB of 4.00 MiB");
    }
}
