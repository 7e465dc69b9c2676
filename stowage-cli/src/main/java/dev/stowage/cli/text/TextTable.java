package dev.stowage.cli.text;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * A table whose columns are as wide as their widest cell and two spaces apart. Where rows are printed as they come,
 * columns have {@linkplain #withWidths minimum widths}, and {@link #line} formats one row.
 */
public final class TextTable {
    private static final String GAP = "  ";

    /** Every terminal has room for so many characters. */
    private static final int USUAL_WIDTH = 80;

    /** A column of words is not made shorter than this. */
    private static final int SHORTEST = 8;

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
        fitting(0).forEach(out::println);
    }

    /** Prints all rows indented by two spaces. */
    public void printIndented(PrintWriter out) {
        fitting(GAP.length()).forEach(line -> out.println(GAP + line));
    }

    /** The lines, no longer than those of the terminal if the output is one. */
    private List<String> fitting(int indent) {
        List<String> lines = lines();
        int longest = lines.stream().mapToInt(String::length).max().orElse(0) + indent;
        if (longest <= USUAL_WIDTH) {
            return lines;
        }
        OptionalInt width = TerminalWidth.now();
        return width.isEmpty() || longest <= width.getAsInt() ? lines : lines(width.getAsInt() - indent);
    }

    /** A row as a line of text, without adding it: for tables that are printed before all rows are known. */
    public String line(String... cells) {
        requireCells(cells.length);
        return line(List.of(cells), minimumWidths);
    }

    /** The rows as lines of text. */
    public List<String> lines() {
        return rows.stream().map(row -> line(row, widths())).toList();
    }

    /** The rows as lines of at most so many characters, if shortening columns of words is enough for that. */
    List<String> lines(int longest) {
        int[] widths = widths();
        int tooMany = IntStream.of(widths).sum() + GAP.length() * (widths.length - 1) - longest;
        while (tooMany > 0) {
            int widest = IntStream.range(0, widths.length)
                    .filter(column -> alignments.charAt(column) == 'l' && widths[column] > SHORTEST)
                    .reduce((a, b) -> widths[a] >= widths[b] ? a : b)
                    .orElse(-1);
            if (widest < 0) {
                break;
            }
            widths[widest]--;
            tooMany--;
        }
        return rows.stream().map(row -> line(shortened(row, widths), widths)).toList();
    }

    private List<String> shortened(List<String> row, int[] widths) {
        List<String> cells = new ArrayList<>();
        for (int column = 0; column < widths.length; column++) {
            String cell = row.get(column);
            boolean isLong = alignments.charAt(column) == 'l' && cell.length() > widths[column];
            cells.add(isLong ? cell.substring(0, widths[column] - 1) + "…" : cell);
        }
        return cells;
    }

    private int[] widths() {
        int[] widths = minimumWidths.clone();
        for (List<String> row : rows) {
            for (int column = 0; column < widths.length; column++) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        }
        return widths;
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
