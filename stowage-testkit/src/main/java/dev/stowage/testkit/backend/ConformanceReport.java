package dev.stowage.testkit.backend;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a run of the suite found: for each op and each part of the interface how many checks passed, failed, or were
 * about something the device does not claim.
 *
 * @param device the name of the device
 * @param results all checks in the order they ran
 */
public record ConformanceReport(String device, List<CheckResult> results) {

    /**
     * One line of the table.
     *
     * @param group an op, or a part of the interface
     * @param passed checks that passed
     * @param failed checks that failed
     * @param notSupported checks of what the device does not claim
     */
    public record Row(String group, int passed, int failed, int notSupported) {

        private Row plus(Outcome outcome) {
            return switch (outcome) {
                case Outcome.Passed _ -> new Row(group, passed + 1, failed, notSupported);
                case Outcome.Failed _ -> new Row(group, passed, failed + 1, notSupported);
                case Outcome.NotSupported _ -> new Row(group, passed, failed, notSupported + 1);
            };
        }
    }

    public ConformanceReport {
        results = List.copyOf(results);
    }

    /** One row for each group, in the order they were met. */
    public List<Row> rows() {
        Map<String, Row> rows = new LinkedHashMap<>();
        for (CheckResult result : results) {
            String group = result.check().group();
            rows.put(group, rows.getOrDefault(group, new Row(group, 0, 0, 0)).plus(result.outcome()));
        }
        return List.copyOf(rows.values());
    }

    /** How many checks passed. */
    public int passed() {
        return rows().stream().mapToInt(Row::passed).sum();
    }

    /** How many checks failed. */
    public int failed() {
        return rows().stream().mapToInt(Row::failed).sum();
    }

    /** How many checks were about something the device does not claim. */
    public int notSupported() {
        return rows().stream().mapToInt(Row::notSupported).sum();
    }

    /** The messages of all failures, each naming device, check, and what was expected and found. */
    public List<String> failures() {
        List<String> messages = new ArrayList<>();
        for (CheckResult result : results) {
            if (result.outcome() instanceof Outcome.Failed(String message)) {
                messages.add(message);
            }
        }
        return messages;
    }

    /** The table, the failures, and a closing line {@code N passed, M failed}. */
    public String text() {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT, "%-24s %8s %8s %14s%n", "device " + device, "passed", "failed", "not supported"));
        for (Row row : rows()) {
            text.append(String.format(
                    Locale.ROOT, "%-24s %8d %8d %14d%n", row.group(), row.passed(), row.failed(), row.notSupported()));
        }
        failures().forEach(message -> text.append(message).append(System.lineSeparator()));
        return text.append(passed() + " passed, " + failed() + " failed")
                .append(System.lineSeparator())
                .toString();
    }
}
