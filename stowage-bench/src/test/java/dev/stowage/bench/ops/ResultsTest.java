package dev.stowage.bench.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.bench.ops.OpBenchCase.Demand;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.internal.json.JsonReader;
import dev.stowage.tensor.ElementType;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

/** How results are reported, as a table and as JSON. */
class ResultsTest {

    private static final OpBenchCase CASE = MatMulBenchCases.product(ElementType.Q4_0, 1000, 1000, 1000, Demand.USUAL);

    /** 2 GFLOP: in 20 ms that is 100 GFLOPS, in 16 ms 125, in 25 ms 80. */
    private static final CaseResult RESULT = new CaseResult(
            CASE,
            2,
            List.of(new RoundTimes("plain", List.of(0.016))),
            List.of(new RoundTimes("plain", List.of(0.025)), new RoundTimes("repacked", List.of(0.020))),
            OptionalDouble.of(2.5e-5),
            true,
            "");

    private static List<String> table(CaseResult result) {
        StringWriter out = new StringWriter();
        ResultTable table = new ResultTable(new PrintWriter(out));
        table.head();
        table.add(result);
        return out.toString().lines().toList();
    }

    @Test
    void ratioIsAgainstTheBetterOfGgmlsWays() {
        assertThat(RESULT.ratio()).hasValue(0.020 / 0.016);
    }

    @Test
    void aLineHasSpeedsRatioSpreadAndError() {
        assertThat(table(RESULT)).hasSize(2);
        assertThat(table(RESULT).getLast())
                .containsSubsequence(
                        "mul_mat 1000x1000x1000",
                        "q4_0",
                        "2",
                        "125 GFLOPS",
                        "100 GFLOPS (repacked)",
                        "1.25",
                        "0 % / 0 %",
                        "2.5e-05");
    }

    @Test
    void columnsStandBelowTheirHeads() {
        List<String> lines = table(RESULT);

        assertThat(lines.getLast().indexOf("125 GFLOPS"))
                .isEqualTo(lines.getFirst().indexOf("ours"));
        assertThat(lines.getLast().indexOf("100 GFLOPS"))
                .isEqualTo(lines.getFirst().indexOf("ggml"));
    }

    @Test
    void whatIsNotThereIsADash() {
        CaseResult alone = new CaseResult(CASE, 1, RESULT.ours(), List.of(), OptionalDouble.empty(), true, "");

        assertThat(table(alone).getLast()).containsSubsequence("125 GFLOPS", "-", "-", "0 % / -", "-");
    }

    @Test
    void aRemarkFollowsOnALineOfItsOwn() {
        assertThat(table(CaseResult.refused(CASE, 1, "too large")))
                .hasSize(3)
                .last()
                .isEqualTo("  too large");
    }

    @Test
    void jsonHasEveryWayAndEveryRound() {
        String json = ResultJson.text(DeviceRegistry.load().device("reference"), null, List.of(RESULT));

        var result = JsonReader.parse(json).cursor().get("results").at(0);
        assertThat(result.get("ggml").elements()).hasSize(2);
        assertThat(result.get("ggml").at(1).get("rate").asDouble()).isEqualTo(100.0);
        assertThat(result.get("ours").at(0).get("seconds").at(0).asDouble()).isEqualTo(0.016);
        assertThat(result.get("ratio").asDouble()).isEqualTo(1.25);
    }

    @Test
    void jsonCanTellOfNumbersThatMakeNoSense() {
        CaseResult wrong = new CaseResult(
                CASE, 1, RESULT.ours(), RESULT.ggml(), OptionalDouble.of(Double.POSITIVE_INFINITY), false, "wrong");

        String json = ResultJson.text(DeviceRegistry.load().device("reference"), null, List.of(wrong));

        assertThat(json).contains("\"nmse\": null", "\"exact\": false", "\"ggml\": null");
    }
}
