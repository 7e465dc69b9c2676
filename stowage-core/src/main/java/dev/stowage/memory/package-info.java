/**
 * Memory for tensors: its kinds ({@link dev.stowage.memory.BufferType}), its buffers
 * ({@link dev.stowage.memory.Buffer}), and allocators that place tensors in them.
 *
 * <p>A buffer owns its bytes until it is closed; a tensor knows the buffer it is stored in. Inputs are written and
 * results read through {@link dev.stowage.memory.TensorData}, which finds the buffer by the tensor:
 *
 * {@snippet :
 * Tensor weights = Tensor.leaf(Layout.contiguous(ElementType.F32, 2, 3)).named("weights");
 * Tensor tokens = Tensor.leaf(Layout.contiguous(ElementType.I32, 4)).named("tokens");
 *
 * try (Buffer buffer = Allocations.allocateAll(List.of(weights, tokens), HostBufferType.standard())) {
 *     TensorData.setFloats(weights, 1, 2, 3, 4, 5, 6);
 *     TensorData.setInts(tokens, 7, 8, 9, 10);
 *
 *     float[] read = TensorData.getFloats(weights);
 *     Buffer.copy(weights, elsewhere); // into any other buffer, of any kind
 * }
 * }
 *
 * <table>
 * <caption>Which memory</caption>
 * <tr><th>for</th><th>take</th></tr>
 * <tr><td>memory of the machine</td><td>{@link dev.stowage.memory.HostBufferType}</td></tr>
 * <tr><td>bytes that are already there</td><td>{@link dev.stowage.memory.HostBuffer#over}</td></tr>
 * <tr><td>weights in a file, not loaded</td><td>{@link dev.stowage.memory.MappedBuffer}</td></tr>
 * <tr><td>planning without memory</td><td>{@link dev.stowage.memory.MeasuringBufferType}</td></tr>
 * <tr><td>a device</td><td>the buffer type that the device offers</td></tr>
 * </table>
 */
package dev.stowage.memory;
