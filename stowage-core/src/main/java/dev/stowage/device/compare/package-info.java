/** Running a graph on two backends and comparing the results, as ggml's graph copy and comparison do. */
package dev.stowage.device.compare;
