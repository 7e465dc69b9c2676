package dev.stowage.device;

import dev.stowage.error.DeviceException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.Set;

/**
 * Hardware that runs ops: the processor, or one accelerator; ggml's {@code ggml_backend_dev}. A device reports its
 * properties, its memory and the ops it supports. Work is submitted to a {@link Backend}; any number can be opened.
 *
 * <table>
 * <caption>Types of the device interface</caption>
 * <tr><th>type</th><th>is</th><th>lifetime</th></tr>
 * <tr><td>{@link BufferType}</td><td>a kind of memory and its rules</td><td>as long as the device</td></tr>
 * <tr><td>{@link Buffer}</td><td>bytes of that kind</td><td>until closed by its owner</td></tr>
 * <tr><td>{@code Device}</td><td>the hardware</td><td>until it, its provider or its registry is closed</td></tr>
 * <tr><td>{@link Backend}</td><td>a stream of work on it</td><td>until closed by its owner</td></tr>
 * </table>
 *
 * <p>Implementers write the abstract methods; the defaults are correct for a device without optional abilities.
 * Thread-safe.
 */
public interface Device extends AutoCloseable {

    /** A short name, unique among the devices of a machine: {@code cpu}, {@code cuda0}. */
    String name();

    /** A human-readable description: vendor, model, number of cores. */
    String description();

    DeviceType type();

    /** Whether this is a fallback, and any other device of its type is preferred. */
    default boolean isLastResort() {
        return false;
    }

    /** Free and total memory now. */
    DeviceMemory memory();

    /**
     * Why this device is lost, for good; empty while it can be used. Calls of the backends of a lost device are refused
     * with a {@link dev.stowage.error.DeviceLostException}; implementers keep the state in a {@link DeviceHealth}.
     */
    default Optional<Throwable> lossCause() {
        return Optional.empty();
    }

    /** The optional abilities it has. */
    default Set<Capability> capabilities() {
        return Set.of();
    }

    /** The default type of memory for its results; always the same object. */
    BufferType bufferType();

    /** Host memory that is fast to exchange with this device, where it has {@link Capability#HOST_BUFFER}. */
    default Optional<BufferType> hostBufferType() {
        return Optional.empty();
    }

    /**
     * The type of memory that this device prefers for a weight of that layout. It may rearrange the bytes when they are
     * written, and returns the original ones when they are read. Only some ops take operands from there;
     * {@link #supports} says which.
     */
    default BufferType weightsType(Layout layout) {
        return bufferType();
    }

    /**
     * A buffer of this device over existing host memory, which stays with its owner.
     *
     * @throws DeviceException if the device lacks {@link Capability#BUFFER_FROM_HOST}
     */
    default Buffer bufferOver(MemorySegment segment) {
        throw DeviceException.of(
                this.name(),
                "bufferOver",
                "it cannot use host memory in place: copy the bytes into a buffer of its own");
    }

    /** Whether this device can compute that node from its sources as they are: op, types, shapes, strides. */
    OpSupport supports(Tensor node);

    /**
     * As {@link #supports(Tensor)} for every node of a graph, in one call, for remote devices: {@code answers[i]} is
     * whether it computes node {@code i}. Called only where the device has {@link Capability#BULK_QUERIES}.
     */
    default boolean[] supports(Graph graph) {
        boolean[] answers = new boolean[graph.nodeCount()];
        for (int node = 0; node < answers.length; node++) {
            answers[node] =
                    !graph.isComputed(node) || supports(graph.node(node)).isSupported();
        }
        return answers;
    }

    /** Whether this device reads and writes tensors that are stored in such memory. */
    boolean supportsBufferType(BufferType type);

    /**
     * Whether it pays to copy the weights of that node from the host and compute it here; ggml's {@code offload_op}.
     */
    default boolean offloadsOp(Tensor node) {
        return false;
    }

    /**
     * The nodes of a graph in the order this device prefers to run them in: the same results, and by default the same
     * order. Called when a graph is scheduled, before memory is planned for that order, and only where the device has
     * {@link Capability#REORDER}.
     */
    default Graph reorder(Graph graph) {
        return graph;
    }

    /**
     * Whether a backend of this device can submit a copy from a tensor of that device, in the order of both streams;
     * see {@link Backend#tryCopyAsync}. If a copy is refused nevertheless, the caller waits for both.
     */
    default boolean copiesAsyncFrom(Device producer) {
        return false;
    }

    /**
     * Opens a stream of work on this device.
     *
     * @throws DeviceException if the device cannot be used now
     */
    Backend open(BackendOptions options);

    /** Opens a stream of work on this device with its own defaults. */
    default Backend open() {
        return open(BackendOptions.defaults());
    }

    /**
     * Makes an event of this device.
     *
     * @throws DeviceException if the device lacks {@link Capability#EVENTS}
     */
    default Event createEvent() {
        throw DeviceException.of(
                this.name(), "createEvent", "it has no events: wait with Backend.synchronize() instead");
    }

    /**
     * Releases the resources of the device in its driver, once its backends and buffers are closed; it cannot be used
     * after that. Most devices hold nothing. Closing again has no effect.
     */
    @Override
    default void close() {}
}
