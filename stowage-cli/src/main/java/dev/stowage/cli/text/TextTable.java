package dev.stowage.cli.text;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * A table whose columns are as wide as their widest cell and two spaces apart. Where rows are printed as they come,
 * columns have {@linkplain #withWidths minimum widths}, and {@link #line} formats one row.
 */
public final class TextTable {
    private static final String GAP = "  ";

    private final String alignments;
    private final int[] minimumWidths;
    private final List<List<String>> rows = new ArrayList<>();

    private TextTable(String alignments, int... minimumWidths) {
        this.alignments = alignments;
        this.minimumWidths = minimumWidths;
    }

    /** A table with one column for each letter: {@code l} aligns to the left, {@code r} to the right, as for numbers. */
    public static TextTable aligned(String alignments) {
        return new TextTable(alignments, new int[alignments.length()]);
    }

    /** An empty table with the same alignments, whose columns are at least that wide. */
    public TextTable withWidths(int... widths) {
        requireCells(widths.length);
        return new TextTable(alignments, widths.clone());
    }

    /** Adds a row with a cell for each column. */
    public TextTable row(String... cells) {
        return row(List.of(cells));
    }

    /** Adds a row with a cell for each column. */
    public TextTable row(List<String> cells) {
        requireCells(cells.size());
        rows.add(List.copyOf(cells));
        return this;
    }

    private void requireCells(int count) {
        if (count != alignments.length()) {
            throw new IllegalArgumentException(
                    "a row of " + count + " cells in a table of " + alignments.length() + " columns");
        }
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

    /** A row as a line of text, without adding it: for tables that are printed before all rows are known. */
    public String line(String... cells) {
        requireCells(cells.length);
        return line(List.of(cells), minimumWidths);
    }

    /** The rows as lines of text. */
    public List<String> lines() {
        int[] widths = minimumWidths.clone();
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
            String padding = " ".repeat(Math.max(0, widths[column] - cell.length()));
            cells.add(alignments.charAt(column) == 'l' ? cell + padding : padding + cell);
        }
        return String.join(GAP, cells).stripTrailing();
    }
}
