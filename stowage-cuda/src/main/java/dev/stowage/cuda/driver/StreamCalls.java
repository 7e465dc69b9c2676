package dev.stowage.cuda.driver;

/** And those for streams and events. */
abstract class StreamCalls extends MemoryCalls {

    private static final int NON_BLOCKING_STREAM = 1;
    private static final int UNTIMED_EVENT = 2;

    @Override
    public Stream streamCreate(Context context) {
        NativeCall.enter(context);
        return new Stream(NativeCall.ask(
                "cuStreamCreate", r -> (int) CudaFunctions.STREAM_CREATE.invokeExact(r, NON_BLOCKING_STREAM)));
    }

    @Override
    public void streamDestroy(Context context, Stream stream) {
        NativeCall.enter(context);
        NativeCall.check("cuStreamDestroy", () -> (int) CudaFunctions.STREAM_DESTROY.invokeExact(stream.handle()));
    }

    @Override
    public void streamSynchronize(Context context, Stream stream) {
        NativeCall.enter(context);
        try {
            NativeCall.require(
                    "cuStreamSynchronize", (int) CudaFunctions.STREAM_SYNCHRONIZE.invokeExact(stream.handle()));
        } catch (Throwable e) {
            throw NativeCall.rethrow("cuStreamSynchronize", e);
        }
    }

    @Override
    public void streamWaitEvent(Context context, Stream stream, EventHandle event) {
        NativeCall.enter(context);
        try {
            NativeCall.require("cuStreamWaitEvent", (int)
                    CudaFunctions.STREAM_WAIT_EVENT.invokeExact(stream.handle(), event.handle(), 0));
        } catch (Throwable e) {
            throw NativeCall.rethrow("cuStreamWaitEvent", e);
        }
    }

    @Override
    public EventHandle eventCreate(Context context, boolean timed) {
        NativeCall.enter(context);
        return new EventHandle(NativeCall.ask(
                "cuEventCreate", r -> (int) CudaFunctions.EVENT_CREATE.invokeExact(r, timed ? 0 : UNTIMED_EVENT)));
    }

    @Override
    public void eventDestroy(Context context, EventHandle event) {
        NativeCall.enter(context);
        NativeCall.check("cuEventDestroy", () -> (int) CudaFunctions.EVENT_DESTROY.invokeExact(event.handle()));
    }

    @Override
    public void eventRecord(Context context, EventHandle event, Stream stream) {
        NativeCall.enter(context);
        try {
            NativeCall.require(
                    "cuEventRecord", (int) CudaFunctions.EVENT_RECORD.invokeExact(event.handle(), stream.handle()));
        } catch (Throwable e) {
            throw NativeCall.rethrow("cuEventRecord", e);
        }
    }

    @Override
    public boolean eventQuery(Context context, EventHandle event) {
        NativeCall.enter(context);
        try {
            int code = (int) CudaFunctions.EVENT_QUERY.invokeExact(event.handle());
            if (code == CudaErrors.NOT_READY) {
                return false;
            }
            NativeCall.require("cuEventQuery", code);
            return true;
        } catch (Throwable e) {
            throw NativeCall.rethrow("cuEventQuery", e);
        }
    }

    @Override
    public void eventSynchronize(Context context, EventHandle event) {
        NativeCall.enter(context);
        try {
            NativeCall.require("cuEventSynchronize", (int) CudaFunctions.EVENT_SYNCHRONIZE.invokeExact(event.handle()));
        } catch (Throwable e) {
            throw NativeCall.rethrow("cuEventSynchronize", e);
        }
    }

    @Override
    public float eventElapsedTime(Context context, EventHandle start, EventHandle end) {
        NativeCall.enter(context);
        long bits = NativeCall.ask("cuEventElapsedTime", r ->
                (int) CudaFunctions.EVENT_ELAPSED_TIME.invokeExact(r, start.handle(), end.handle()));
        return Float.intBitsToFloat((int) bits);
    }
}
