package dev.stowage.device;

/**
 * How much memory a device has.
 *
 * @param free the bytes that could be taken now
 * @param total the bytes there are
 */
public record DeviceMemory(long free, long total) {}
