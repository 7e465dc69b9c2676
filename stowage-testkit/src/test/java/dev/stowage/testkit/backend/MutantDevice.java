package dev.stowage.testkit.backend;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceHealth;
import dev.stowage.device.DeviceMemory;
import dev.stowage.device.DeviceType;
import dev.stowage.device.Event;
import dev.stowage.device.OpSupport;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferType;
import dev.stowage.reference.ReferenceProvider;
import dev.stowage.tensor.Tensor;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A device with memory that the host cannot reach and backends that do nothing before they must: work is done when it
 * is waited for, as late as the interface allows. Right in everything but the one defect it was made with.
 */
final class MutantDevice implements Device, LossInjection {

    private final Defect defect;
    private final Optional<OpDefect> opDefect;
    private final Device reference = new ReferenceProvider().devices().getFirst();
    private final DeviceHealth health = new DeviceHealth();
    private final MutantBuffer.Type type;

    private MutantDevice(Defect defect, Optional<OpDefect> opDefect) {
        this.defect = defect;
        this.opDefect = opDefect;
        this.type = new MutantBuffer.Type(defect, health, ConcurrentHashMap.newKeySet());
    }

    /** A device with a defect. */
    static MutantDevice with(Defect defect) {
        return new MutantDevice(defect, Optional.empty());
    }

    /** A device that gets an op wrong. */
    static MutantDevice with(OpDefect opDefect) {
        return new MutantDevice(Defect.NONE, Optional.of(opDefect));
    }

    boolean has(Defect asked) {
        return defect == asked;
    }

    /** Whether work goes on in a buffer, which may have been closed since the work was submitted. */
    boolean mayUse(MutantBuffer buffer) {
        if (buffer.isClosed() && has(Defect.CLOSING_A_BUFFER_FAILS_ITS_RUN)) {
            throw DeviceException.of(name(), "compute", "the buffer " + buffer + " is closed");
        }
        return !(buffer.isClosed() && has(Defect.CLOSING_A_BUFFER_STOPS_ITS_RUN));
    }

    Device reference() {
        return reference;
    }

    /** Computes a node that was brought to the host, in this device's way. */
    void compute(HostNode node) {
        opDefect.filter(found -> found.op() == node.node().op())
                .map(OpDefect::tamper)
                .orElse(HostNode::compute)
                .compute(node);
    }

    @Override
    public String name() {
        return "mutant";
    }

    @Override
    public String description() {
        return "a device with the defect " + opDefect.map(Enum::name).orElse(defect.name());
    }

    @Override
    public DeviceType type() {
        return DeviceType.GPU;
    }

    @Override
    public DeviceMemory memory() {
        return new DeviceMemory(1 << 30, 1 << 30);
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of(Capability.ASYNC, Capability.EVENTS, Capability.REORDER, Capability.BULK_QUERIES);
    }

    @Override
    public BufferType bufferType() {
        return type;
    }

    @Override
    public OpSupport supports(Tensor node) {
        return reference.supports(node);
    }

    @Override
    public boolean[] supports(Graph graph) {
        boolean[] answers = Device.super.supports(graph);
        if (has(Defect.BULK_ANSWERS_DIFFER)) {
            Arrays.fill(answers, true);
        }
        return answers;
    }

    /** Throws if this device is lost. */
    void requirePresent() {
        health.require(name(), "call");
    }

    @Override
    public Optional<Throwable> lossCause() {
        return has(Defect.LOSS_IS_NOT_KNOWN) ? Optional.empty() : health.lossCause();
    }

    @Override
    public LossInjection.Subject another() {
        MutantDevice made = new MutantDevice(defect, opDefect);
        return new LossInjection.Subject(
                made,
                cause -> made.health.lose(
                        has(Defect.LOSS_HAS_ANOTHER_CAUSE) ? new IllegalStateException("no idea") : cause));
    }

    @Override
    public boolean supportsBufferType(BufferType asked) {
        return asked.equals(type) || has(Defect.MEMORY_OF_OTHERS_IS_CLAIMED);
    }

    @Override
    public Graph reorder(Graph graph) {
        return has(Defect.REORDER_LOSES_A_NODE) ? graph.slice(0, graph.nodeCount() - 1) : graph;
    }

    @Override
    public Backend open(BackendOptions options) {
        if (!has(Defect.LOST_DEVICES_OPEN_BACKENDS)) {
            requirePresent();
        }
        return new MutantBackend(this);
    }

    @Override
    public Event createEvent() {
        requirePresent();
        return has(Defect.EVENTS_ARE_CLAIMED_AND_NOT_THERE) ? Device.super.createEvent() : new MutantEvent(this);
    }
}
