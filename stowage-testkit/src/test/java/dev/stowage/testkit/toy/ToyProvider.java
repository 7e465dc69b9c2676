package dev.stowage.testkit.toy;

import dev.stowage.device.Availability;
import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.BackendProvider;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceMemory;
import dev.stowage.device.DeviceType;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.error.DeviceException;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.HostBufferType;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.IntStream;

/** A backend that adds and multiplies f32 tensors, put together step by step in docs/writing-a-backend.md. */
public final class ToyProvider implements BackendProvider {

    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final List<Device> DEVICES = List.of(new ToyDevice());

    @Override
    public String name() {
        return "toy";
    }

    @Override
    public String version() {
        return "1";
    }

    @Override
    public Availability probe() {
        return Availability.available();
    }

    @Override
    public List<Device> devices() {
        return DEVICES;
    }

    private static final class ToyDevice implements Device {

        private final BufferType memory = HostBufferType.standard().withName("toy");

        @Override
        public String name() {
            return "toy";
        }

        @Override
        public String description() {
            return "adds and multiplies";
        }

        @Override
        public DeviceType type() {
            return DeviceType.ACCELERATOR;
        }

        @Override
        public DeviceMemory memory() {
            return new DeviceMemory(1L << 30, 1L << 30);
        }

        @Override
        public BufferType bufferType() {
            return memory;
        }

        @Override
        public boolean supportsBufferType(BufferType type) {
            return type.isHost();
        }

        @Override
        public OpSupport supports(Tensor node) {
            return switch (node.op()) {
                case NONE, VIEW, RESHAPE, PERMUTE, TRANSPOSE -> OpSupport.yes();
                case ADD, MUL -> isF32(node) ? OpSupport.yes() : OpSupport.no(node.op() + " is for f32 only");
                default -> OpSupport.no("there is no kernel for " + node.op());
            };
        }

        private static boolean isF32(Tensor node) {
            return IntStream.range(0, node.sourceCount())
                    .allMatch(slot -> node.source(slot).type() == ElementType.F32);
        }

        @Override
        public Backend open(BackendOptions options) {
            return new ToyBackend(this);
        }
    }

    private static final class ToyBackend extends Backend {

        ToyBackend(ToyDevice device) {
            super(device);
        }

        @Override
        protected void doCompute(BoundGraph bound) {
            for (int node = 0; node < bound.graph().nodeCount(); node++) {
                Tensor result = bound.graph().node(node);
                if (!result.isLeaf() && !result.op().isViewOp()) {
                    compute(Step.of(bound, node));
                }
            }
        }

        private void compute(Step step) {
            OpSupport support = device().supports(step.result().tensor());
            if (!support.isSupported()) {
                throw DeviceException.of(name(), "compute", step.result().describe(), support.reason());
            }
            BoundTensor result = step.result();
            for (long i = 0; i < result.shape().elements(); i++) {
                float a = at(step.operand(0), i, result).get(FLOAT, 0);
                float b = at(step.operand(1), i, result).get(FLOAT, 0);
                at(result, i, result).set(FLOAT, 0, step.op() == Op.ADD ? a + b : a * b);
            }
        }

        /** Where a tensor has the element that goes with element {@code i} of the result, repeating where it must. */
        private static MemorySegment at(BoundTensor tensor, long i, BoundTensor result) {
            long offset = 0;
            long rest = i;
            for (int d = 0; d < 4; d++) {
                offset += rest % result.dim(d) % tensor.dim(d) * tensor.stride(d);
                rest /= result.dim(d);
            }
            return tensor.segment().asSlice(offset, Float.BYTES);
        }

        @Override
        protected void doClose() {}
    }
}
