package dev.stowage.cpu.machine;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Which features of the processor this process makes use of, as {@link MachineSupport#SWITCH} says. */
enum FeatureLimit {
    /** No machine code. */
    OFF,
    /** Registers of 256 bits. */
    AVX2,
    /** The same, with the dot product of bytes. */
    AVX_VNNI,
    /** Registers of 512 bits: the default. */
    AVX512,
    /** Matrix tiles too, for which no code has ever run. */
    AMX;

    /** The value of the switch. */
    String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The limit of that name, if there is one. */
    static Optional<FeatureLimit> of(String text) {
        return Arrays.stream(values())
                .filter(limit -> limit.text().equals(text))
                .findFirst();
    }

    /** All names. */
    static String texts() {
        return Arrays.stream(values()).map(FeatureLimit::text).collect(Collectors.joining(", "));
    }

    /** What is left of features. */
    Set<Feature> of(Set<Feature> features) {
        return features.stream().filter(this::allows).collect(Collectors.toUnmodifiableSet());
    }

    private boolean allows(Feature feature) {
        FeatureLimit needed =
                feature.isAmx() ? AMX : feature.isAvx512() ? AVX512 : feature == Feature.AVX_VNNI ? AVX_VNNI : AVX2;
        return needed.compareTo(this) <= 0;
    }
}
