package dev.stowage.cli.bench;

import java.util.Iterator;
import java.util.List;

/** The groups of cases of {@code stowage bench ops}, by their names on the command line. */
public final class OpsBenchGroups implements Iterable<String> {

    /** All of them, in the order they are measured; some are there only for a device, some only for the comparison. */
    public static final List<String> NAMES = List.of(
            "mul_mat",
            "mul_mat_vec",
            "flash_attn",
            "soft_max",
            "rms_norm",
            "rope",
            "add",
            "mul",
            "glu",
            "cpy",
            "get_rows",
            "set_rows",
            "argmax",
            "model",
            "host");

    @Override
    public Iterator<String> iterator() {
        return NAMES.iterator();
    }
}
