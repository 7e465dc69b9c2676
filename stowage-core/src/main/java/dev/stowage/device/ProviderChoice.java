package dev.stowage.device;

import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** Which providers to use, parsed from a list of names: plain names select, {@code -name} excludes. */
record ProviderChoice(Set<String> only, Set<String> without) {

    static ProviderChoice parse(String text) {
        Set<String> names = Arrays.stream(text.split(","))
                .map(name -> name.strip().toLowerCase(Locale.ROOT))
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toSet());
        return new ProviderChoice(
                names.stream().filter(name -> !name.startsWith("-")).collect(Collectors.toSet()),
                names.stream()
                        .filter(name -> name.startsWith("-"))
                        .map(name -> name.substring(1))
                        .collect(Collectors.toSet()));
    }

    boolean allows(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return !without.contains(lower) && (only.isEmpty() || only.contains(lower));
    }
}
