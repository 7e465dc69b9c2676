package dev.stowage.cli.option;

import java.util.Locale;

/** Names of GGUF files, by which a model on the command line is recognised. */
public final class GgufFileName {
    private static final String SUFFIX = ".gguf";

    private GgufFileName() {}

    /** Whether a name has the suffix of a GGUF file, upper or lower case. */
    public static boolean matches(String name) {
        return name.toLowerCase(Locale.ROOT).endsWith(SUFFIX);
    }

    /** The name without the suffix, if it has one. */
    public static String withoutSuffix(String name) {
        return matches(name) ? name.substring(0, name.length() - SUFFIX.length()) : name;
    }
}
