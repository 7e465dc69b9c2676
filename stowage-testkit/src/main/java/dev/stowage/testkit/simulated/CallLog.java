package dev.stowage.testkit.simulated;

import java.util.ArrayList;
import java.util.List;

/** The calls made to devices that share this log, in the order they were made. May be used from any thread. */
public final class CallLog {

    private final List<Call> calls = new ArrayList<>();

    /** An empty log. */
    public CallLog() {}

    /** Records a call. */
    public synchronized void add(Call call) {
        calls.add(call);
    }

    /** The calls so far. */
    public synchronized List<Call> calls() {
        return List.copyOf(calls);
    }

    /** The calls so far, as text. */
    public List<String> lines() {
        return calls().stream().map(Call::toString).toList();
    }

    /** Forgets everything. */
    public synchronized void clear() {
        calls.clear();
    }

    @Override
    public String toString() {
        return String.join("\n", lines());
    }
}
