package dev.stowage.internal;

import java.util.Arrays;

/** Which subclasses of a class override a method of it; found once for each class. */
public final class Overriding {

    private final ClassValue<Boolean> known;

    /** Of a class and the name of a method, whatever its parameters are. */
    public Overriding(Class<?> base, String method) {
        this.known = new ClassValue<>() {
            @Override
            protected Boolean computeValue(Class<?> type) {
                return type != base && (declares(type, method) || get(type.getSuperclass()));
            }
        };
    }

    private static boolean declares(Class<?> type, String method) {
        return Arrays.stream(type.getDeclaredMethods())
                .anyMatch(each -> each.getName().equals(method));
    }

    /** Whether that subclass, or a class between the two, overrides the method. */
    public boolean isTrueFor(Class<?> subclass) {
        return known.get(subclass);
    }
}
