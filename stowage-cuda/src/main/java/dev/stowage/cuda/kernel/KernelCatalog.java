package dev.stowage.cuda.kernel;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;

/** All kernels of this module with their signatures, as {@code compile-kernels} recorded them. Immutable. */
public final class KernelCatalog {

    private static final String LIST = "kernels.txt";

    private final Map<String, KernelSignature> byName;

    private KernelCatalog(Map<String, KernelSignature> byName) {
        this.byName = Map.copyOf(byName);
    }

    /** The kernels in this module. */
    public static KernelCatalog standard() {
        return Standard.CATALOG;
    }

    private static final class Standard {

        private static final KernelCatalog CATALOG = read();

        private Standard() {}

        private static KernelCatalog read() {
            try (InputStream in = KernelCatalog.class.getResourceAsStream(LIST)) {
                if (in == null) {
                    throw new IllegalStateException("the list of compiled kernels is missing: run compile-kernels");
                }
                return parse(new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII))
                        .lines()
                        .toList());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Kernels from lines of {@code name file TYPE,TYPE,...}. */
    static KernelCatalog parse(List<String> lines) {
        Map<String, KernelSignature> byName = new HashMap<>();
        for (String line : lines) {
            String[] parts = line.split(" ", -1);
            List<ParameterType> types = parts.length < 3 || parts[2].isEmpty()
                    ? List.of()
                    : Arrays.stream(parts[2].split(",", -1))
                            .map(ParameterType::valueOf)
                            .toList();
            KernelSignature before = byName.put(parts[0], new KernelSignature(parts[0], parts[1], types));
            if (before != null) {
                throw new IllegalStateException("two kernels are called " + parts[0]);
            }
        }
        return new KernelCatalog(byName);
    }

    /**
     * The kernel of that name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public KernelSignature get(String name) {
        KernelSignature found = byName.get(name);
        if (found == null) {
            throw new IllegalArgumentException("there is no kernel " + name);
        }
        return found;
    }

    /** All kernels. */
    public Collection<KernelSignature> all() {
        return byName.values();
    }

    /** The compiled form of a source file for an architecture. */
    static byte[] image(Architecture architecture, String file) {
        String path = architecture.folder() + "/" + file + architecture.ending();
        try (InputStream in = KernelCatalog.class.getResourceAsStream(path)) {
            if (in == null) {
                throw new IllegalStateException("the compiled kernels " + path + " are missing: run compile-kernels");
            }
            return new GZIPInputStream(in).readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
