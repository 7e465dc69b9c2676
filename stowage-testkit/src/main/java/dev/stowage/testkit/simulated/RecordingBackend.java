package dev.stowage.testkit.simulated;

import dev.stowage.device.Backend;
import dev.stowage.device.Event;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.Graph;
import dev.stowage.tensor.Tensor;

/** Writes down what it is asked to do, and does nothing. */
final class RecordingBackend extends Backend {

    private final RecordingDevice device;

    RecordingBackend(RecordingDevice device) {
        super(device);
        this.device = device;
    }

    @Override
    protected boolean copyFrom(Backend producer, Tensor from, Tensor to) {
        if (device.copiesAsyncFrom(producer.device())) {
            device.log().add(new Call.CopyAsync(from, to));
            return true;
        }
        return false;
    }

    @Override
    protected void run(Graph graph) {
        device.log().add(new Call.Compute(device.name(), graph.nodes()));
    }

    @Override
    protected void finish() {
        device.log().add(new Call.Sync(device.name()));
    }

    @Override
    protected void mark(Event event) {
        if (!device.hasEvents()) {
            super.mark(event);
        } else if (event instanceof RecordingEvent recorded) {
            device.log().add(new Call.EventRecord(recorded.name(), device.name()));
        } else {
            throw DeviceException.of(
                    name(),
                    "record",
                    "the event belongs to device '" + event.device().name() + "', which is no recording one");
        }
    }

    @Override
    protected void waitFor(Event event) {
        if (event instanceof RecordingEvent recorded) {
            device.log().add(new Call.EventWait(device.name(), recorded.name()));
        } else {
            super.waitFor(event);
        }
    }

    @Override
    protected void release() {}
}
