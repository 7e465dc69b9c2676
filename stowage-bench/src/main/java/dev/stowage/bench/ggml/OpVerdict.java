package dev.stowage.bench.ggml;

/**
 * How a case of an op ended, in a form that can be told in one line from one process to another.
 *
 * @param outcome what came of it
 * @param error the normalised mean squared error, or NaN where nothing was compared
 * @param remark what there is to say about a failure; else empty
 */
record OpVerdict(Outcome outcome, double error, String remark) {

    enum Outcome {
        /** Both results are the same within what the case allows. */
        PASSED,
        /** They are not, or one side could not compute the case. */
        FAILED,
        /** ggml's CPU backend says that it does not compute such a node. */
        UNSUPPORTED,
        /** ggml has nothing to compare with: no such op, or not for such operands. */
        ABSENT
    }

    static OpVerdict of(Outcome outcome) {
        return new OpVerdict(outcome, Double.NaN, "");
    }

    static OpVerdict failed(String remark) {
        return new OpVerdict(Outcome.FAILED, Double.NaN, remark);
    }

    /** The verdict as a line. */
    String toLine() {
        return outcome + " " + error + " " + remark;
    }

    static OpVerdict fromLine(String line) {
        String[] parts = line.split(" ", 3);
        return new OpVerdict(Outcome.valueOf(parts[0]), Double.parseDouble(parts[1]), parts[2]);
    }
}
