package dev.stowage.packing;

import dev.stowage.error.MalformedDataException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The columns of a CSV file, by name or alias, and rows read by column name. */
final class CsvColumns {

    static final String ID = "id";
    static final String LOWER = "lower";
    static final String UPPER = "upper";
    static final String SIZE = "size";
    static final String ALIGNMENT = "alignment";
    static final String OFFSET = "offset";

    private static final List<String> REQUIRED = List.of(ID, LOWER, UPPER, SIZE);
    private static final Set<String> KNOWN = Set.of(ID, LOWER, UPPER, SIZE, ALIGNMENT, OFFSET, "hint", "gaps");
    private static final String INCLUSIVE_UPPER = "end";
    private static final Map<String, String> OTHER_NAMES =
            Map.of("buffer", ID, "buffer_id", ID, "start", LOWER, "begin", LOWER, INCLUSIVE_UPPER, UPPER);

    private final Map<String, Integer> positions = new HashMap<>();
    private final int count;
    private final boolean upperIsInclusive;

    private CsvColumns(String header) {
        String[] names = header.split(",", -1);
        boolean inclusive = false;
        for (int column = 0; column < names.length; column++) {
            String name = names[column].strip().toLowerCase(Locale.ROOT);
            inclusive |= name.equals(INCLUSIVE_UPPER);
            String known = OTHER_NAMES.getOrDefault(name, name);
            requireNotMisspelt(known, names[column].strip());
            if (KNOWN.contains(known) && positions.put(known, column) != null) {
                throw new MalformedDataException("line 1: the column '" + known + "' is there twice");
            }
        }
        this.count = names.length;
        this.upperIsInclusive = inclusive;
    }

    /** Other columns are left alone, but one that is nearly an optional one would be ignored without a word. */
    private static void requireNotMisspelt(String name, String asWritten) {
        for (String known : KNOWN) {
            if (!KNOWN.contains(name) && name.length() > 2 && areSimilar(name, known)) {
                throw new MalformedDataException(
                        "line 1: there is no column '" + asWritten + "'; did you mean '" + known + "'?");
            }
        }
    }

    /** Whether one letter more, less or other makes two names the same. */
    private static boolean areSimilar(String a, String b) {
        int same = 0;
        while (same < Math.min(a.length(), b.length()) && a.charAt(same) == b.charAt(same)) {
            same++;
        }
        String restOfA = a.substring(same);
        String restOfB = b.substring(same);
        return restOfB.equals(restOfA.substring(Math.min(1, restOfA.length())))
                || restOfA.equals(restOfB.substring(Math.min(1, restOfB.length())))
                || (restOfA.length() == restOfB.length()
                        && !restOfA.isEmpty()
                        && restOfA.substring(1).equals(restOfB.substring(1)));
    }

    static CsvColumns ofHeader(String header) {
        if (header.isBlank()) {
            throw new MalformedDataException(
                    "line 1: the header is missing; it must name the columns " + String.join(", ", REQUIRED));
        }
        CsvColumns columns = new CsvColumns(header);
        for (String name : REQUIRED) {
            if (!columns.positions.containsKey(name)) {
                throw new MalformedDataException("line 1: the column '" + name + "' is missing");
            }
        }
        return columns;
    }

    Row row(int line, String text) {
        String[] fields = text.split(",", -1);
        Row row = new Row(line, fields);
        if (fields.length != count) {
            throw row.malformed("there are " + fields.length + " fields for " + count + " columns", null);
        }
        return row;
    }

    /** One line, read by the names of its columns. */
    final class Row {

        private final int line;
        private final String[] fields;

        private Row(int line, String[] fields) {
            this.line = line;
            this.fields = fields;
        }

        String id() {
            return field(ID);
        }

        long upper() {
            long upper = number(UPPER);
            if (upperIsInclusive && upper == Long.MAX_VALUE) {
                throw malformed("the lifetime ends at " + upper + ", after which there is no moment", null);
            }
            return upperIsInclusive ? upper + 1 : upper;
        }

        long number(String column) {
            String text = field(column);
            try {
                return Long.parseLong(text);
            } catch (NumberFormatException e) {
                boolean digits = text.matches("[+-]?[0-9]+");
                throw malformed(
                        "the " + column + " '" + text + "' is "
                                + (digits ? "beyond the largest number, " + Long.MAX_VALUE : "not a whole number"),
                        e);
            }
        }

        /** The number, or {@code otherwise} if the column is missing or empty. */
        long numberOr(String column, long otherwise) {
            return !positions.containsKey(column) || field(column).isEmpty() ? otherwise : number(column);
        }

        private String field(String column) {
            return fields[positions.getOrDefault(column, 0)].strip();
        }

        MalformedDataException malformed(String reason, @Nullable Throwable cause) {
            String message = "line " + line + ": " + reason;
            return cause == null ? new MalformedDataException(message) : new MalformedDataException(message, cause);
        }
    }
}
