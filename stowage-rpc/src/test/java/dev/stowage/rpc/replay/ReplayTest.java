package dev.stowage.rpc.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.rpc.server.RpcServer;
import dev.stowage.rpc.server.RpcServerOptions;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Conversations of llama.cpp's client with its own server, played to ours. */
class ReplayTest {

    @ParameterizedTest
    @ValueSource(strings = {"qwen2", "llama-moe", "lexicon-q4_0-flash", "lexicon-q8_0"})
    void theServerAnswersAsTheRecordedOne(String name) throws Exception {
        Recording recording = Recording.read(Path.of(ReplayTest.class
                .getResource("/dev/stowage/rpc/" + name + ".bin.gz")
                .toURI()));
        try (DeviceRegistry registry = DeviceRegistry.load()) {
            Device cpu = registry.device("cpu");
            List<Device> devices = Collections.nCopies(Replay.devices(recording), cpu);
            RpcServerOptions options = RpcServerOptions.of(devices).withPort(0).withDialect(Replay.dialect(recording));
            try (RpcServer server = RpcServer.start(options)) {
                List<Replay.Outcome> outcomes = Replay.play(recording, server.address());
                assertThat(outcomes).hasSizeGreaterThan(20);
                assertThat(outcomes.stream().filter(outcome -> !outcome.passed()))
                        .isEmpty();
            }
        }
    }
}
