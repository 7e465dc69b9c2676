package dev.stowage.schedule;

import java.util.List;

/**
 * Consecutive nodes that one device computes in one go, and the inputs copied to it before.
 *
 * @param index the number of the split, counted from 0
 * @param device the number of its device
 * @param firstNode the number of its first node in the graph
 * @param endNode one past the number of its last node
 * @param inputs the tensors copied to the device before, in this order
 */
public record Split(int index, int device, int firstNode, int endNode, List<SplitInput> inputs) {

    public int nodeCount() {
        return endNode - firstNode;
    }
}
