/**
 * Graphs made from other graphs: nodes wired to other tensors, slices with the ids of their origin, and other tensors
 * in the same wiring. For the scheduler and the placement of models; not an API.
 */
package dev.stowage.graph.wiring;
