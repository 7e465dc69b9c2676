package dev.stowage.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Smallest cuts, against trying out every way to part a few points in two. */
class FlowNetworkTest {

    private static final int POINTS = 8;

    private record Pipe(int from, int to, long most) {}

    @Test
    void cutsAsLittleAsAnyOtherWayToPartThePoints() {
        for (long seed = 0; seed < 300; seed++) {
            List<Pipe> pipes = randomPipes(new Random(seed));
            FlowNetwork network = new FlowNetwork();
            for (int point = 2; point < POINTS; point++) {
                network.addVertex();
            }
            pipes.forEach(pipe -> network.addEdge(pipe.from(), pipe.to(), pipe.most()));

            boolean[] cut = network.cut();

            assertThat(cut[FlowNetwork.SOURCE]).as("seed %d", seed).isTrue();
            assertThat(cut[FlowNetwork.SINK]).as("seed %d", seed).isFalse();
            assertThat(sizeOf(cut, pipes)).as("seed %d", seed).isEqualTo(smallest(pipes));
        }
    }

    @Test
    void waysCanBeAsLongAsAGraphIsDeep() {
        FlowNetwork network = new FlowNetwork();
        int last = FlowNetwork.SOURCE;
        for (int step = 0; step < 50_000; step++) {
            int next = network.addVertex();
            network.addEdge(last, next, step == 30_000 ? 1 : 2);
            last = next;
        }
        network.addEdge(last, FlowNetwork.SINK, 2);

        boolean[] cut = network.cut();

        assertThat(cut[30_001]).isTrue();
        assertThat(cut[30_002]).isFalse();
    }

    private static List<Pipe> randomPipes(Random random) {
        List<Pipe> pipes = new ArrayList<>();
        int count = random.nextInt(30);
        for (int pipe = 0; pipe < count; pipe++) {
            pipes.add(new Pipe(random.nextInt(POINTS), random.nextInt(POINTS), random.nextInt(10)));
        }
        return pipes;
    }

    private static long smallest(List<Pipe> pipes) {
        long smallest = Long.MAX_VALUE;
        for (int bits = 0; bits < 1 << POINTS; bits++) {
            boolean[] side = new boolean[POINTS];
            for (int point = 0; point < POINTS; point++) {
                side[point] = (bits >> point & 1) != 0;
            }
            if (side[FlowNetwork.SOURCE] && !side[FlowNetwork.SINK]) {
                smallest = Math.min(smallest, sizeOf(side, pipes));
            }
        }
        return smallest;
    }

    private static long sizeOf(boolean[] side, List<Pipe> pipes) {
        return pipes.stream()
                .filter(pipe -> side[pipe.from()] && !side[pipe.to()])
                .mapToLong(Pipe::most)
                .sum();
    }
}
