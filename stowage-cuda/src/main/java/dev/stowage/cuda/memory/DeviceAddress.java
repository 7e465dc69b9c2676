package dev.stowage.cuda.memory;

import dev.stowage.memory.BoundTensor;

/** Where tensors are stored in device memory. */
public final class DeviceAddress {

    private DeviceAddress() {}

    /** The address of the first byte of a tensor that is stored in memory of a GPU. */
    public static long of(BoundTensor tensor) {
        if (tensor.buffer() instanceof DeviceBuffer buffer) {
            return buffer.deviceAddress() + tensor.offset();
        }
        throw new IllegalStateException(
                tensor.describe() + " is stored in " + tensor.buffer().name() + ", which is not memory of a GPU");
    }
}
