/** The passes that assign devices and split the graph, in ggml's order, and their table. */
package dev.stowage.schedule.pass;
