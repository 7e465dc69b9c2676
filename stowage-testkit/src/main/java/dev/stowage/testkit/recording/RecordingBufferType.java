package dev.stowage.testkit.recording;

import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.simulated.CallLog;

/**
 * Memory that is not there, like the measuring memory whose rules it follows, except that writing to it and reading
 * from it is recorded in a log instead of refused. May be used from any thread.
 */
public final class RecordingBufferType implements BufferType {

    private final MeasuringBufferType rules;
    private final CallLog log;

    private RecordingBufferType(MeasuringBufferType rules, CallLog log) {
        this.rules = rules;
        this.log = log;
    }

    /** Memory with the rules and counts of that one, whose transfers are recorded in a log. */
    public static RecordingBufferType of(MeasuringBufferType rules, CallLog log) {
        return new RecordingBufferType(rules, log);
    }

    @Override
    public String name() {
        return rules.name();
    }

    @Override
    public long alignment() {
        return rules.alignment();
    }

    @Override
    public long maxBufferSize() {
        return rules.maxBufferSize();
    }

    @Override
    public long allocationSize(Tensor tensor) {
        return rules.allocationSize(tensor);
    }

    @Override
    public boolean isHost() {
        return rules.isHost();
    }

    @Override
    public Buffer allocate(long size) {
        return new RecordingBuffer(this, rules.allocate(size));
    }

    /** What counts the buffers. */
    public MeasuringBufferType rules() {
        return rules;
    }

    CallLog log() {
        return log;
    }

    @Override
    public String toString() {
        return "recording " + name();
    }
}
