package dev.stowage.packing;

import org.jspecify.annotations.Nullable;

/** Formats a problem, and a solution if there is one, as CSV. */
final class CsvText {

    private final Problem problem;
    private final @Nullable Solution solution;
    private final boolean hasAlignment;
    private final boolean hasOffset;

    CsvText(Problem problem, @Nullable Solution solution) {
        this.problem = problem;
        this.solution = solution;
        boolean aligned = false;
        boolean fixed = false;
        for (int buffer = 0; buffer < problem.count(); buffer++) {
            aligned |= problem.alignment(buffer) != 1;
            fixed |= problem.isFixed(buffer);
        }
        this.hasAlignment = aligned;
        this.hasOffset = fixed || solution != null;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("id,lower,upper,size");
        text.append(hasAlignment ? ",alignment" : "")
                .append(hasOffset ? ",offset" : "")
                .append('\n');
        for (int buffer = 0; buffer < problem.count(); buffer++) {
            text.append(problem.id(buffer)).append(',');
            text.append(problem.from(buffer)).append(',');
            text.append(problem.to(buffer)).append(',');
            text.append(problem.size(buffer));
            if (hasAlignment) {
                text.append(',').append(problem.alignment(buffer));
            }
            if (hasOffset) {
                text.append(',').append(offset(buffer));
            }
            text.append('\n');
        }
        return text.toString();
    }

    private String offset(int buffer) {
        if (solution != null) {
            return Long.toString(solution.offset(buffer));
        }
        return problem.isFixed(buffer) ? Long.toString(problem.fixedOffsetOrNone(buffer)) : "";
    }
}
