package dev.stowage.bench.ops;

import dev.stowage.tensor.ElementType;
import java.util.ArrayList;
import java.util.List;

/** All cases, and the selection that a command line asks for. */
final class OpBenchCases {

    private OpBenchCases() {}

    /** All cases, those of a group next to each other. */
    static List<OpBenchCase> all() {
        List<OpBenchCase> all = new ArrayList<>();
        all.addAll(MatMulBenchCases.all());
        all.addAll(AttentionBenchCases.all());
        all.addAll(RowBenchCases.all());
        all.addAll(TransformerBenchCases.all());
        all.addAll(DispatchBenchCase.all());
        return all;
    }

    /**
     * Those of some groups and types; an empty list stands for all groups, or for the usual types.
     *
     * @param quick whether to leave out what takes long
     */
    static List<OpBenchCase> select(List<String> groups, List<ElementType> types, boolean quick) {
        return all().stream()
                .filter(each -> groups.isEmpty() || groups.contains(each.group()))
                .filter(each -> types.isEmpty() ? !each.demand().isOnRequest() : types.contains(each.type()))
                .filter(each -> !quick || !each.demand().isPatient())
                .toList();
    }
}
