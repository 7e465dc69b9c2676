package dev.stowage.cli.text;

import java.io.PrintWriter;
import java.util.List;

/** Prints rows of words in columns as wide as their widest word. */
public final class TextTable {
    private TextTable() {}

    /** Prints the rows, the first {@code labels} columns to the left and the others, which are numbers, to the right. */
    public static void print(List<List<String>> rows, int labels, PrintWriter out) {
        int columns = rows.getFirst().size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int column = 0; column < columns; column++) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < columns; column++) {
                String word = row.get(column);
                String gap = " ".repeat(widths[column] - word.length());
                line.append("  ").append(column < labels ? word + gap : gap + word);
            }
            out.println(line.toString().stripTrailing());
        }
    }
}
