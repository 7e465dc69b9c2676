package dev.stowage.profile;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Sums by key for so many keys and no more; those that come later share one sum. */
final class SumsByKey<S> {

    private final int most;
    private final Supplier<S> none;
    private final Map<ProfileKey, S> sums = new HashMap<>();
    private @Nullable S others;

    SumsByKey(int most, Supplier<S> none) {
        this.most = most;
        this.none = none;
    }

    S of(ProfileKey key) {
        @Nullable S known = sums.get(key);
        if (known == null) {
            known = sums.size() < most ? add(key) : others();
        }
        return known;
    }

    private S add(ProfileKey key) {
        S sum = none.get();
        sums.put(key.copy(), sum);
        return sum;
    }

    private S others() {
        @Nullable S known = others;
        if (known == null) {
            known = none.get();
            others = known;
        }
        return known;
    }

    /** A row for each sum, in no order; the one that is shared comes last, if there is one. */
    <R> List<R> rows(BiFunction<ProfileKey, S, R> row, Function<S, R> othersRow) {
        List<R> rows = new ArrayList<>();
        sums.forEach((key, sum) -> rows.add(row.apply(key, sum)));
        @Nullable S shared = others;
        if (shared != null) {
            rows.add(othersRow.apply(shared));
        }
        return rows;
    }

    void clear() {
        sums.clear();
        others = null;
    }
}
