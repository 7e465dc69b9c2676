/** Devices that compute nothing and record every call, for comparing the calls of a scheduler with those of ggml. */
package dev.stowage.testkit.recording;
