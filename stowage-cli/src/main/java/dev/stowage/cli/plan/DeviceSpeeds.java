package dev.stowage.cli.plan;

import dev.stowage.device.DeviceType;
import dev.stowage.llm.fit.DeviceBudget;
import dev.stowage.schedule.cost.CostModel;
import dev.stowage.schedule.cost.LinkRate;
import dev.stowage.schedule.cost.OpRate;
import java.util.List;

/**
 * How fast planned devices are taken to be: round numbers for a current card, processor and bus. They
 * are printed with every prediction, since predictions are only as good as they are.
 */
final class DeviceSpeeds {
    private static final OpRate GPU = OpRate.of(40e12, 800e9).withNanosPerNode(3_000);
    private static final OpRate CPU = OpRate.of(0.5e12, 50e9).withNanosPerNode(1_000);
    private static final LinkRate LINK = LinkRate.of(16e9).withLatencyNanos(10_000);

    private DeviceSpeeds() {}

    /** The costs of these devices and of the links between any two of them. */
    static CostModel of(List<DeviceBudget> machine) {
        CostModel.Builder costs = CostModel.builder();
        for (DeviceBudget device : machine) {
            costs.device(device.name(), device.device().type() == DeviceType.GPU ? GPU : CPU);
            for (DeviceBudget other : machine) {
                if (!other.equals(device)) {
                    costs.linkTo(device.name(), other.name(), LINK);
                }
            }
        }
        return costs.build();
    }

    /** The rates as text. */
    static String text() {
        return "taking a gpu for 40 TFLOP/s and 800 GB/s, the cpu for 0.5 TFLOP/s and 50 GB/s, and copies for 16 GB/s";
    }
}
