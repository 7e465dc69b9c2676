/** The passes that assign every tensor a device and cut the graph into splits, in ggml's order, and the table they work on. */
package dev.stowage.schedule.pass;
