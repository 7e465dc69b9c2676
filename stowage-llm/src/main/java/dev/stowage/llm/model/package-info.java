/**
 * What a model file describes: its numbers, its weights, and the graph it stands for. Nothing here takes memory for
 * weights or needs a device.
 */
package dev.stowage.llm.model;
