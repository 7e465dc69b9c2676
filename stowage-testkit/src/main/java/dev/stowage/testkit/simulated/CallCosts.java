package dev.stowage.testkit.simulated;

import dev.stowage.tensor.Tensor;
import java.util.Optional;

/** What the calls of a simulated device are, with what each costs. */
record CallCosts(String device, Costs costs) {

    Work transfer(CallKind kind, Optional<Tensor> tensor, long bytes) {
        return new Work(device, kind, tensor, bytes, costs.transferNanos(bytes));
    }

    Work copy(SimulatedDevice from, Optional<Tensor> tensor, long bytes) {
        return new Work(device, CallKind.COPY, tensor, bytes, costs.transferNanos(bytes, from.calls().costs));
    }

    Work compute(Tensor node) {
        return new Work(
                device,
                CallKind.COMPUTE,
                Optional.of(node),
                0,
                costs.computeNanos().applyAsLong(node));
    }

    Work event() {
        return new Work(device, CallKind.EVENT, Optional.empty(), 0, 0);
    }
}
