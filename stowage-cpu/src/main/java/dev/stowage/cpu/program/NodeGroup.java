package dev.stowage.cpu.program;

import dev.stowage.tensor.Tensor;
import java.util.List;

/**
 * Nodes whose tasks are a range of a program's: one, or those that were fused.
 *
 * @param nodes the nodes, in the order of the graph
 * @param endTask one past the number of their last task; the first is where those of the group before end
 */
record NodeGroup(List<Tensor> nodes, int endTask) {}
