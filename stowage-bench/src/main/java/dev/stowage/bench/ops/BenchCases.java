package dev.stowage.bench.ops;

import dev.stowage.tensor.ElementType;
import java.util.ArrayList;
import java.util.List;

/** Everything there is to measure, and which of it is wanted. */
final class BenchCases {

    private BenchCases() {}

    /** All cases, those of a group next to each other. */
    static List<BenchCase> all() {
        List<BenchCase> all = new ArrayList<>();
        all.addAll(ProductCases.all());
        all.addAll(AttentionCases.all());
        all.addAll(RowCases.all());
        all.addAll(ModelCases.all());
        all.addAll(HostCase.all());
        return all;
    }

    /**
     * Those of some groups and types; an empty list stands for all groups, or for the usual types.
     *
     * @param quick whether to leave out what takes long
     */
    static List<BenchCase> wanted(List<String> groups, List<ElementType> types, boolean quick) {
        return all().stream()
                .filter(each -> groups.isEmpty() || groups.contains(each.group()))
                .filter(each -> types.isEmpty() ? !each.demand().isOnRequest() : types.contains(each.type()))
                .filter(each -> !quick || !each.demand().isPatient())
                .toList();
    }
}
