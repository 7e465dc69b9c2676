package dev.stowage.memory;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Recorded when a buffer has been allocated for weights, a cache or a plan. */
@Name("dev.stowage.BufferAllocated")
@Label("Buffer allocated")
@Category("Stowage")
@StackTrace(false)
final class BufferEvent extends Event {

    @Label("Buffer type")
    String bufferType = "";

    @Label("Size")
    @DataAmount
    long size;

    static Buffer recorded(BufferType type, long size) {
        BufferEvent event = new BufferEvent();
        event.begin();
        Buffer buffer = type.allocate(size);
        event.bufferType = type.name();
        event.size = size;
        event.commit();
        return buffer;
    }
}
