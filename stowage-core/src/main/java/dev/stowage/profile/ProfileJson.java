package dev.stowage.profile;

import dev.stowage.internal.json.JsonWriter;
import java.util.List;

/** Writes a profile as JSON. */
final class ProfileJson {

    private ProfileJson() {}

    static String of(List<OpTime> ops, List<SplitTime> splits) {
        StringBuilder text = new StringBuilder();
        JsonWriter json = JsonWriter.indented(text);
        json.beginObject().name("ops").beginArray();
        for (OpTime op : ops) {
            json.beginObject();
            json.name("device").value(op.device());
            json.name("op").value(op.op());
            json.name("calls").value(op.calls());
            json.name("nanos").value(op.nanos());
            json.name("share").value(op.share());
            json.endObject();
        }
        json.endArray().name("splits").beginArray();
        for (SplitTime split : splits) {
            json.beginObject();
            json.name("device").value(split.device());
            json.name("split").value(split.split());
            json.name("runs").value(split.runs());
            json.name("nodes").value(split.nodes());
            json.name("nanos").value(split.nanos());
            json.name("share").value(split.share());
            json.name("copies").value(split.copies());
            json.name("copied_bytes").value(split.copiedBytes());
            json.name("copy_nanos").value(split.copyNanos());
            json.endObject();
        }
        json.endArray().endObject().finish();
        return text.append('\n').toString();
    }
}
