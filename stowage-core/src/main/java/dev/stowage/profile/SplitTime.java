package dev.stowage.profile;

/**
 * The time that the split of one number took on a device, as seen by the submitting thread: all of it on a synchronous
 * device, and only the submission on an asynchronous one.
 *
 * @param device its name
 * @param split the number of the split
 * @param runs how often it ran
 * @param nodes how many nodes that were altogether, views included
 * @param nanos how long it took altogether, copies included
 * @param share which part of the time of all splits that is, from 0 to 1
 * @param copies how many tensors were copied for it altogether
 * @param copiedBytes how many bytes those came to
 * @param copyNanos how much of the time went into them
 */
public record SplitTime(
        String device,
        int split,
        long runs,
        long nodes,
        long nanos,
        double share,
        long copies,
        long copiedBytes,
        long copyNanos) {}
