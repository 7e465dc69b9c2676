package dev.stowage.profile;

/**
 * Something that took time.
 *
 * @param track where it is shown
 * @param detail what it was
 */
record TraceSpan(TraceTrack track, TraceDetail detail, long startNanos, long endNanos) {}
