package dev.stowage.testkit.schedule;

import dev.stowage.device.Backend;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.reference.ReferenceProvider;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** What a program computes on one device when every tensor has a place of its own. */
final class OneDevice {

    private OneDevice() {}

    /** The outputs of each of so many runs, one after the other. */
    static List<List<float[]>> outputs(RandomProgram program, int runs) {
        List<Tensor> tensors = new ArrayList<>(program.graph().leaves());
        tensors.addAll(program.graph().nodes());
        tensors.removeIf(Tensor::isView);
        List<List<float[]>> outputs = new ArrayList<>();
        try (Buffer _ = Allocations.allocateAll(tensors, HostBufferType.standard());
                Buffer _ = Allocations.allocateAll(program.state(), HostBufferType.standard());
                Backend backend = new ReferenceProvider().devices().getFirst().open()) {
            program.writeState();
            for (int run = 0; run < runs; run++) {
                program.writeInputs(run, BoundTensor::of);
                backend.compute(program.graph());
                outputs.add(program.outputs().stream()
                        .map(output -> TensorData.getFloats(output))
                        .toList());
            }
        }
        return outputs;
    }

    /** The bits of all those numbers, which are equal only if they are the same. */
    static List<List<List<Integer>>> bits(List<List<float[]>> runs) {
        return runs.stream()
                .map(outputs -> outputs.stream().map(OneDevice::bits).toList())
                .toList();
    }

    private static List<Integer> bits(float[] values) {
        List<Integer> bits = new ArrayList<>(values.length);
        for (float value : values) {
            bits.add(Float.floatToRawIntBits(value));
        }
        return bits;
    }
}
