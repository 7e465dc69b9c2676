package dev.stowage.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.Graph;
import dev.stowage.schedule.cost.CostModel;
import dev.stowage.schedule.cost.LinkRate;
import dev.stowage.schedule.cost.OpRate;
import dev.stowage.schedule.cost.WorkKind;
import dev.stowage.schedule.pass.AssignmentPasses;
import dev.stowage.schedule.pass.AssignmentTable;
import dev.stowage.schedule.search.CostSheet;
import dev.stowage.schedule.search.MinCut;
import dev.stowage.schedule.search.MovableUnits;
import dev.stowage.schedule.search.ReaderIndex;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Cuts between two devices on which nothing goes on side by side, against trying out every assignment. */
class MinCutTest {

    private static final int NODES = 9;
    private static final Op[] OPS = {Op.ADD, Op.MUL_MAT, Op.SOFT_MAX, Op.CONCAT};

    @Test
    void betweenTwoDevicesNoAssignmentTakesLess() {
        for (long seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            FakeDevice gpu = FakeDevice.called("gpu").refusing(OPS[random.nextInt(OPS.length)]);
            FakeDevice cpu = FakeDevice.onTheHost("cpu");
            ScheduleRequest request = ScheduleRequest.of(randomGraph(random, gpu, cpu), DeviceSet.of(gpu, cpu));
            AssignmentTable table = AssignmentTable.of(request);
            AssignmentPasses.run(table, false);
            CostSheet sheet = new CostSheet(request.graph(), request.devices(), randomCosts(random));
            MovableUnits units = new MovableUnits(table, sheet);
            MemoryLimits limits = new MemoryLimits(request.devices(), Map.of(), Draft.of(request, table));
            ScheduledCandidates evaluator = new ScheduledCandidates(request, table, units, sheet, limits);
            ReaderIndex readers = new ReaderIndex(table, units, sheet);

            int[] cut = new MinCut(units, sheet, readers, new double[2]).improve(units.initialDevices());

            assertThat(evaluator.nanos(cut)).as("seed %d", seed).isEqualTo(least(evaluator, units));
        }
    }

    private static long least(ScheduledCandidates evaluator, MovableUnits units) {
        long least = Long.MAX_VALUE;
        for (int bits = 0; bits < 1 << units.count(); bits++) {
            int[] devices = units.initialDevices();
            for (int unit = 0; unit < devices.length; unit++) {
                int wanted = bits >> unit & 1;
                devices[unit] = units.get(unit).allowed()[wanted] ? wanted : devices[unit];
            }
            least = Math.min(least, evaluator.nanos(devices));
        }
        return least;
    }

    private static Graph randomGraph(Random random, FakeDevice gpu, FakeDevice cpu) {
        List<Tensor> made =
                new ArrayList<>(List.of(Tensors.input("x"), gpu.weight("a"), cpu.weight("b"), gpu.cache("c")));
        List<Tensor> nodes = new ArrayList<>();
        for (int node = 0; node < NODES; node++) {
            Tensor one = made.get(random.nextInt(made.size()));
            Tensor other = made.get(random.nextInt(made.size()));
            Tensor next = random.nextInt(5) == 0
                    ? Tensors.view("v" + node, one)
                    : Tensors.node("n" + node, OPS[random.nextInt(OPS.length)], one, other);
            made.add(next);
            nodes.add(next);
        }
        return Graph.of(nodes);
    }

    private static CostModel randomCosts(Random random) {
        CostModel.Builder costs = CostModel.builder();
        for (String device : List.of("gpu", "cpu")) {
            costs.device(device, new OpRate(random.nextInt(1000), 0, 0));
            costs.device(device, WorkKind.MATRIX, new OpRate(random.nextInt(1000), 0, 0));
            costs.device(device, WorkKind.SOFT_MAX, new OpRate(random.nextInt(1000), 0, 0));
        }
        costs.linkTo("gpu", "cpu", new LinkRate(random.nextInt(500), 1e9));
        return costs.linkTo("cpu", "gpu", new LinkRate(random.nextInt(500), 1e9))
                .build();
    }
}
