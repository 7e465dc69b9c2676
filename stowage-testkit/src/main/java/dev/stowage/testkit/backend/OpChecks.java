package dev.stowage.testkit.backend;

import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.device.OpSupport;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.op.Nmse;
import dev.stowage.testkit.op.OpCase;
import dev.stowage.testkit.op.OpGraph;
import dev.stowage.testkit.op.OpRun;
import java.util.ArrayList;
import java.util.List;

/** The cases of an op, each compared with the reference: results apart from their operands, and in their place. */
final class OpChecks {

    private final Device device;
    private final Device reference;

    OpChecks(Device device, Device reference) {
        this.device = device;
        this.reference = reference;
    }

    /** The checks of one case. */
    List<Check> of(OpCase opCase) {
        String group = opCase.op().name();
        List<Check> checks = new ArrayList<>();
        checks.add(new Check(device, group, opCase.name(), () -> apart(opCase)));
        if (!opCase.overwritesOperand()) {
            for (int slot : opCase.inPlaceOperands()) {
                String name = opCase.name() + ", result over operand " + slot;
                checks.add(new Check(device, group, name, () -> inPlace(opCase, slot)));
            }
        }
        return checks;
    }

    private void apart(OpCase opCase) {
        requireSupport(opCase);
        try (Backend backend = device.open()) {
            verify(opCase, GuardedRun.apart(backend, opCase.build()));
        }
    }

    private void inPlace(OpCase opCase, int slot) {
        requireSupport(opCase);
        OpGraph made = opCase.build();
        Tensor node = made.subject(opCase.op());
        try (Backend backend = device.open()) {
            verify(opCase, GuardedRun.inPlace(backend, made, node, node.source(slot)));
        }
    }

    private void requireSupport(OpCase opCase) {
        OpSupport support = OpRun.support(device, opCase);
        if (!support.isSupported()) {
            throw new CheckSkipped(support.reason());
        }
    }

    private void verify(OpCase opCase, double[] actual) {
        OpSupport known = OpRun.support(reference, opCase);
        if (!known.isSupported()) {
            throw new CheckSkipped("the reference does not compute this case either: " + known.reason());
        }
        Nmse nmse = opCase.compare(OpRun.on(reference, opCase), actual);
        Verify.that(nmse.isWithin(opCase.maxError()), nmse + ", allowed is " + opCase.maxError());
    }
}
