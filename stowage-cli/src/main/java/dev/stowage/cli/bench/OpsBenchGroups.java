package dev.stowage.cli.bench;

import java.util.Iterator;
import java.util.List;

/** The groups of cases of {@code stowage bench ops}, by their names on the command line. */
public final class OpsBenchGroups implements Iterable<String> {

    /** All of them, in the order they are measured. */
    public static final List<String> NAMES = List.of(
            "mul_mat", "mul_mat_vec", "flash_attn", "soft_max", "rope", "rms_norm", "glu", "set_rows", "model", "host");

    @Override
    public Iterator<String> iterator() {
        return NAMES.iterator();
    }
}
