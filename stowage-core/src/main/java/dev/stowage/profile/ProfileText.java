package dev.stowage.profile;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Writes a profile as human-readable text. */
final class ProfileText {

    /** How many of the last columns hold names, which begin under each other; numbers end under each other. */
    private static final int NAMES = 2;

    private ProfileText() {}

    static String of(List<OpTime> ops, List<SplitTime> splits) {
        StringBuilder text = new StringBuilder();
        List<String[]> rows = new ArrayList<>();
        rows.add(new String[] {"time", "share", "calls", "mean", "device", "op"});
        for (OpTime op : ops) {
            rows.add(new String[] {
                millis(op.nanos()),
                percent(op.share()),
                Long.toString(op.calls()),
                micros(op.nanos(), op.calls()),
                op.device(),
                op.op()
            });
        }
        long nanos = ops.stream().mapToLong(OpTime::nanos).sum();
        text.append("time per op, ").append(millis(nanos)).append(" in all\n");
        align(text, rows);
        if (!splits.isEmpty()) {
            text.append('\n');
            addSplits(text, splits);
        }
        return text.toString();
    }

    private static void addSplits(StringBuilder text, List<SplitTime> splits) {
        List<String[]> rows = new ArrayList<>();
        rows.add(new String[] {"time", "share", "runs", "mean", "nodes", "copies", "bytes", "copying", "device", "split"
        });
        for (SplitTime split : splits) {
            rows.add(new String[] {
                millis(split.nanos()),
                percent(split.share()),
                Long.toString(split.runs()),
                micros(split.nanos(), split.runs()),
                Long.toString(split.nodes()),
                Long.toString(split.copies()),
                Long.toString(split.copiedBytes()),
                millis(split.copyNanos()),
                split.device(),
                split.split() == RunProfile.OTHER_SPLITS ? RunProfile.OTHERS : Integer.toString(split.split())
            });
        }
        long nanos = splits.stream().mapToLong(SplitTime::nanos).sum();
        text.append("time per split, ").append(millis(nanos)).append(" in all\n");
        align(text, rows);
    }

    private static void align(StringBuilder text, List<String[]> rows) {
        int columns = rows.getFirst().length;
        int[] widths = new int[columns];
        for (String[] row : rows) {
            for (int column = 0; column < columns; column++) {
                widths[column] = Math.max(widths[column], row[column].length());
            }
        }
        for (String[] row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < columns; column++) {
                String padding = " ".repeat(widths[column] - row[column].length());
                boolean isName = column >= columns - NAMES;
                line.append("  ").append(isName ? row[column] + padding : padding + row[column]);
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
    }

    private static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.3f ms", nanos / 1e6);
    }

    private static String micros(long nanos, long count) {
        return count == 0 ? "-" : String.format(Locale.ROOT, "%.1f us", nanos / 1e3 / count);
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }
}
