package dev.stowage.device;

import dev.stowage.error.DeviceException;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;

/** The least a device can be: it adds floats in host memory, to which it adds an error of the test's choice. */
public final class AddingDevice implements Device {

    private final String name;
    private final DeviceType type;
    private final float error;

    public AddingDevice(String name, DeviceType type, float error) {
        this.name = name;
        this.type = type;
        this.error = error;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String description() {
        return "adds";
    }

    @Override
    public DeviceType type() {
        return type;
    }

    @Override
    public DeviceMemory memory() {
        return new DeviceMemory(1, 2);
    }

    @Override
    public BufferType bufferType() {
        return HostBufferType.standard();
    }

    @Override
    public OpSupport supports(Tensor node) {
        return node.op() == Op.ADD ? OpSupport.yes() : OpSupport.no("it only adds");
    }

    @Override
    public boolean supportsBufferType(BufferType memory) {
        return memory.isHost();
    }

    @Override
    public AddingBackend open(BackendOptions options) {
        return new AddingBackend(this);
    }

    /** Runs at once; a test may have it call back in the middle of a run. */
    public static final class AddingBackend extends Backend {

        Runnable whileRunning = () -> {};
        int released;

        private final float error;

        AddingBackend(AddingDevice device) {
            super(device);
            this.error = device.error;
        }

        @Override
        protected void doCompute(BoundGraph graph) {
            whileRunning.run();
            for (int node = 0; node < graph.graph().nodeCount(); node++) {
                Step step = Step.of(graph, node);
                if (step.op().isViewOp()) {
                    continue;
                }
                if (step.op() != Op.ADD) {
                    throw DeviceException.of(name(), "compute", step.result().describe(), "it only adds");
                }
                add(step);
            }
        }

        private void add(Step step) {
            float[] sum = TensorData.getFloats(step.operand(0));
            float[] other = TensorData.getFloats(step.operand(1));
            for (int i = 0; i < sum.length; i++) {
                sum[i] += other[i] + error;
            }
            TensorData.setFloats(step.result(), sum);
        }

        @Override
        protected void doClose() {
            released++;
        }
    }
}
