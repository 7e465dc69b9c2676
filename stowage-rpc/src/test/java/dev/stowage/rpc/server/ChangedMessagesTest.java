package dev.stowage.rpc.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.rpc.replay.HostileMessages;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/**
 * Messages of recorded conversations with changed fields, and graphs of any op with any operands. Each is carried out or ends
 * its connection; no client keeps memory or has more than it may, and the next one is served as if nothing had been.
 */
class ChangedMessagesTest {

    /** How many messages; the default is what fits into a build. */
    private static final long MESSAGES = Long.getLong("stowage.rpc.messages", 30_000);

    private static final long SEED = Long.getLong("stowage.rpc.seed", 20261118);
    private static final int PER_RECORDING = 10_000;
    private static final int PER_CONNECTION = 50;
    private static final List<String> RECORDINGS = List.of("qwen2", "llama-moe", "qwen2", "lexicon-q4_0-flash");
    private static final byte[] END = {};

    private long messages;

    @Test
    void changedMessagesHarmNeitherServerNorOtherClients(TestReporter report) throws IOException {
        SplittableRandom seeds = new SplittableRandom(SEED);
        try (ScriptedServer server = new ScriptedServer()) {
            for (int i = 0; messages < MESSAGES; i++) {
                String recording = RECORDINGS.get(i % RECORDINGS.size());
                attack(server, recording, Math.min(MESSAGES, messages + PER_RECORDING), seeds.split());
            }
            report.publishEntry(
                    messages + " messages, seed " + SEED, server.refused() + " connections ended by the server");
            assertThat(server.refused()).as("connections that were ended").isBetween(messages / 10, messages * 9 / 10);
        }
    }

    /** Sends changed messages, over as many connections as it takes. */
    private void attack(ScriptedServer server, String recording, long end, SplittableRandom random) throws IOException {
        HostileMessages hostile = HostileMessages.of(recording, random.nextLong());
        byte[] opening = hostile.opening();
        byte[] replies = server.serve(opening);
        hostile.learn(replies);
        while (messages < end) {
            int[] said = {0};
            boolean filled = random.nextBoolean();
            server.serve(
                    () -> {
                        int i = said[0]++;
                        if (i == 0) {
                            return opening;
                        }
                        if (i == 1 && filled) {
                            return hostile.fill();
                        }
                        if (i > PER_CONNECTION || messages >= end) {
                            return END;
                        }
                        messages++;
                        return hostile.next();
                    },
                    most -> most);
        }
        assertThat(server.serve(opening))
                .as("the answers to a client that keeps to the protocol")
                .isEqualTo(replies);
    }
}
