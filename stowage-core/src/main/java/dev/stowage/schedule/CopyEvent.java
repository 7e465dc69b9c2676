package dev.stowage.schedule;

import dev.stowage.device.Backend;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A JFR event for a tensor copied to another device, or submitted for copying. */
@Name("dev.stowage.Copy")
@Label("Tensor copied between devices")
@Category("Stowage")
@StackTrace(false)
final class CopyEvent extends Event {

    @Label("Tensor")
    String tensor = "";

    @Label("From")
    String from = "";

    @Label("To")
    String to = "";

    @Label("Bytes")
    @DataAmount
    long bytes;

    @Label("Submitted")
    boolean async;

    void commit(String copied, Backend producer, Backend reader, long copiedBytes, boolean isSubmitted) {
        tensor = copied;
        from = producer.name();
        to = reader.name();
        bytes = copiedBytes;
        async = isSubmitted;
        commit();
    }
}
