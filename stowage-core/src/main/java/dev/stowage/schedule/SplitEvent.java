package dev.stowage.schedule;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A JFR event for a split submitted to its device, with the copies of its inputs. */
@Name("dev.stowage.Split")
@Label("Split run")
@Category("Stowage")
@StackTrace(false)
final class SplitEvent extends Event {

    @Label("Split")
    int split;

    @Label("Device")
    String device = "";

    @Label("Nodes")
    int nodes;

    @Label("Inputs")
    int inputs;
}
