package dev.stowage.packing;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Recorded problems that are a rectangle cut without waste. */
public final class Tilings {

    public static final long HEIGHT = 1048576;

    private Tilings() {}

    public static Problem recorded(int number) {
        String name = "/packing/tiling-" + number + "." + HEIGHT + ".csv";
        try (InputStream in = Objects.requireNonNull(Tilings.class.getResourceAsStream(name), name)) {
            return PackingCsv.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new AssertionError(name, e);
        }
    }
}
