package dev.stowage.testkit.recording;

import dev.stowage.device.Backend;
import dev.stowage.device.Event;
import dev.stowage.error.DeviceException;
import dev.stowage.memory.BoundTensor;
import dev.stowage.plan.BoundGraph;
import dev.stowage.testkit.simulated.Call;

/** Records its calls, and does nothing. */
final class RecordingBackend extends Backend {

    private final RecordingDevice device;

    RecordingBackend(RecordingDevice device) {
        super(device);
        this.device = device;
    }

    @Override
    protected boolean doTryCopy(Backend producer, BoundTensor from, BoundTensor to) {
        if (device.copiesAsyncFrom(producer.device())) {
            device.log().add(new Call.CopyAsync(from.tensor(), to.tensor()));
            return true;
        }
        return false;
    }

    @Override
    protected void doCompute(BoundGraph bound) {
        device.log().add(new Call.Compute(device.name(), bound.graph().nodes()));
    }

    @Override
    protected void doSynchronize() {
        device.log().add(new Call.Sync(device.name()));
    }

    @Override
    protected void doRecord(Event event) {
        if (!device.hasEvents()) {
            super.doRecord(event);
        } else if (event instanceof RecordingEvent recorded) {
            device.log().add(new Call.EventRecord(recorded.name(), device.name()));
        } else {
            throw DeviceException.of(
                    name(),
                    "record",
                    "the event belongs to device '" + event.device().name() + "', which is not a recording one");
        }
    }

    @Override
    protected void doAwait(Event event) {
        if (event instanceof RecordingEvent recorded) {
            device.log().add(new Call.EventWait(device.name(), recorded.name()));
        } else {
            super.doAwait(event);
        }
    }

    @Override
    protected void doClose() {}
}
