package dev.stowage.llm.fit;

import java.util.List;

/** Spreads parts of a model over devices in proportion to their memory, as llama.cpp does. */
final class LayerSpread {

    private LayerSpread() {}

    /**
     * How many of so many parts each device gets. The boundaries between devices are rounded, so that no device is further than
     * one part from its share; devices without a limit count alike, and then the others get nothing.
     */
    static int[] over(int parts, List<DeviceBudget> devices) {
        boolean unlimited = devices.stream().anyMatch(device -> !device.isLimited());
        double[] shares = devices.stream()
                .mapToDouble(device -> unlimited ? (device.isLimited() ? 0 : 1) : device.bytes())
                .toArray();
        double sum = 0;
        for (double share : shares) {
            sum += share;
        }
        int[] counts = new int[shares.length];
        double before = 0;
        int given = 0;
        for (int device = 0; device < counts.length; device++) {
            before += shares[device];
            // Without any memory at all the first device gets everything, and the plan says what is missing.
            int until = sum == 0 ? parts : (int) Math.round(parts * (before / sum));
            counts[device] = until - given;
            given = until;
        }
        return counts;
    }
}
