/** Schedules compared with those of a live ggml, over devices that compute nothing. */
package dev.stowage.bench.ggml.schedule;
