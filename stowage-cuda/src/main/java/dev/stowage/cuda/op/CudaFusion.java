package dev.stowage.cuda.op;

import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.fusion.FusionPattern;
import dev.stowage.plan.BoundGraph;

/** A pattern of nodes that is computed by fewer launches than its nodes would be one by one. */
interface CudaFusion extends FusionPattern {

    /**
     * Adds the launches of nodes that the pattern covers.
     *
     * @return false if no kernel takes these operands; nothing has been added then
     */
    boolean launch(BoundGraph graph, int first, int count, LaunchSink out);
}
