package dev.stowage.cli.text;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** A table whose columns are as wide as their widest cell and two spaces apart. */
public final class TextTable {
    private static final String GAP = "  ";

    private final String alignments;
    private final List<List<String>> rows = new ArrayList<>();

    private TextTable(String alignments) {
        this.alignments = alignments;
    }

    /** A table with one column for each letter: {@code l} aligns to the left, {@code r} to the right, as for numbers. */
    public static TextTable aligned(String alignments) {
        return new TextTable(alignments);
    }

    /** Adds a row with a cell for each column. */
    public TextTable row(String... cells) {
        return row(List.of(cells));
    }

    /** Adds a row with a cell for each column. */
    public TextTable row(List<String> cells) {
        if (cells.size() != alignments.length()) {
            throw new IllegalArgumentException(
                    "a row of " + cells.size() + " cells in a table of " + alignments.length() + " columns");
        }
        rows.add(List.copyOf(cells));
        return this;
    }

    /** Adds rows with a cell for each column. */
    public TextTable rows(List<List<String>> more) {
        more.forEach(this::row);
        return this;
    }

    /** Prints all rows from the start of the line. */
    public void print(PrintWriter out) {
        lines().forEach(out::println);
    }

    /** Prints all rows indented by two spaces. */
    public void printIndented(PrintWriter out) {
        lines().forEach(line -> out.println(GAP + line));
    }

    /** The rows as lines of text. */
    public List<String> lines() {
        int[] widths = new int[alignments.length()];
        for (List<String> row : rows) {
            for (int column = 0; column < widths.length; column++) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        }
        return rows.stream().map(row -> line(row, widths)).toList();
    }

    private String line(List<String> row, int[] widths) {
        List<String> cells = new ArrayList<>(widths.length);
        for (int column = 0; column < widths.length; column++) {
            String cell = row.get(column);
            String padding = " ".repeat(widths[column] - cell.length());
            cells.add(alignments.charAt(column) == 'l' ? cell + padding : padding + cell);
        }
        return String.join(GAP, cells).stripTrailing();
    }
}
