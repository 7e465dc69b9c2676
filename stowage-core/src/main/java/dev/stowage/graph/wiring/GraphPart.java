package dev.stowage.graph.wiring;

import dev.stowage.graph.Graph;

/**
 * A graph that was made from another, and how the ids of the two correspond. For a slice {@code ids[id]} is the id in
 * the whole graph of the slice's tensor {@code id}; for an assembled graph {@code ids[number]} is the id there of what
 * the assembly knows by that number.
 *
 * @param graph the graph that was made
 * @param ids how ids correspond; not to be changed
 */
@SuppressWarnings("ArrayRecordComponent") // a hot path reads it, and parts are never compared
public record GraphPart(Graph graph, int[] ids) {}
