package dev.stowage.bench.ggml.op;

/**
 * How a case of an op ended, in a form that one process can send to another in one line.
 *
 * @param outcome what came of it
 * @param error the normalised mean squared error, or NaN where nothing was compared
 * @param isF32 whether only f32 and whole numbers took part, so that nothing was rounded to fewer bits on purpose
 * @param remark what there is to say about a failure; else empty
 */
record OpVerdict(Outcome outcome, double error, boolean isF32, String remark) {

    enum Outcome {
        /** Both results are the same within what the case allows. */
        PASSED,
        /** They are not, or one side could not compute the case. */
        FAILED,
        /** ggml's CPU backend says that it does not compute such a node. */
        UNSUPPORTED,
        /** ggml has nothing to compare with: no such op, or one that goes wrong with such operands. */
        ABSENT
    }

    static OpVerdict of(Outcome outcome) {
        return new OpVerdict(outcome, Double.NaN, false, "");
    }

    static OpVerdict failed(String remark) {
        return new OpVerdict(Outcome.FAILED, Double.NaN, false, remark);
    }

    /** The verdict as a line. */
    String toLine() {
        return outcome + " " + error + " " + isF32 + " " + remark;
    }

    static OpVerdict fromLine(String line) {
        String[] parts = line.split(" ", 4);
        return new OpVerdict(
                Outcome.valueOf(parts[0]), Double.parseDouble(parts[1]), Boolean.parseBoolean(parts[2]), parts[3]);
    }
}
