package dev.stowage.packing;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.error.MalformedDataException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Problems and solutions in MiniMalloc's CSV. The first line names the columns, in any order, in upper or lower case; others
 * than these are ignored:
 *
 * <pre>
 *   id,lower,upper,size,alignment,offset
 *   conv1,0,3,4096,256,
 *   relu1,3,9,4096,256,8192
 * </pre>
 *
 * <table>
 * <caption>Columns</caption>
 * <tr><th>column</th><th>meaning</th></tr>
 * <tr><td>{@code id} (or {@code buffer}, {@code buffer_id})</td><td>name of the buffer</td></tr>
 * <tr><td>{@code lower} (or {@code start}, {@code begin})</td><td>first moment at which it is live</td></tr>
 * <tr><td>{@code upper}</td><td>first moment at which it is not; {@code end} is the last at which it is</td></tr>
 * <tr><td>{@code size}</td><td>bytes</td></tr>
 * <tr><td>{@code alignment}</td><td>optional; what the offset must be a multiple of</td></tr>
 * <tr><td>{@code offset}</td><td>optional; where the buffer is fixed, empty or negative where it is not</td></tr>
 * <tr><td>{@code hint}</td><td>optional; ignored</td></tr>
 * <tr><td>{@code gaps}</td><td>optional; ignored: the buffer counts as live throughout, which is always safe</td></tr>
 * </table>
 */
public final class PackingCsv {

    private static final String BYTE_ORDER_MARK = "\uFEFF";

    private PackingCsv() {}

    /**
     * Reads a problem from a file.
     *
     * @throws MalformedDataException if the file cannot be read or is malformed; the message has line and reason
     */
    public static Problem read(Path file) {
        String text;
        try {
            text = Files.readString(file, StandardCharsets.UTF_8);
        } catch (CharacterCodingException e) {
            throw new MalformedDataException(file + " is not text in UTF-8: save it as such", e);
        } catch (IOException e) {
            throw new MalformedDataException(file + " cannot be read: " + e.getMessage(), e);
        }
        try {
            return parse(text);
        } catch (MalformedDataException e) {
            throw new MalformedDataException(file + ", " + e.getMessage(), e);
        }
    }

    /**
     * Reads a problem from text.
     *
     * @throws MalformedDataException if the text is malformed; the message has line and reason
     */
    public static Problem parse(String text) {
        // Some editors start a file with a byte order mark.
        List<String> lines = (text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text)
                .lines()
                .toList();
        CsvColumns columns = CsvColumns.ofHeader(lines.isEmpty() ? "" : lines.getFirst());
        ProblemBuilder builder = Problem.builder();
        Map<String, Integer> lineOfId = new HashMap<>();
        for (int line = 1; line < lines.size(); line++) {
            if (!lines.get(line).isBlank()) {
                CsvColumns.Row row = columns.row(line + 1, lines.get(line));
                requireNew(row, lineOfId.putIfAbsent(row.id(), line + 1));
                addBuffer(builder, row);
            }
        }
        try {
            return builder.build();
        } catch (InvalidPlanException e) {
            throw new MalformedDataException("after line " + lines.size() + ": " + e.getMessage(), e);
        }
    }

    /** Offsets are found by the id, so no two buffers may have the same; none at all is not one. */
    private static void requireNew(CsvColumns.Row row, @Nullable Integer before) {
        if (before != null && !row.id().isEmpty()) {
            throw row.malformed("the id '" + row.id() + "' is that of line " + before + " already", null);
        }
    }

    private static void addBuffer(ProblemBuilder builder, CsvColumns.Row row) {
        long lower = row.number(CsvColumns.LOWER);
        long upper = row.upper();
        long size = row.number(CsvColumns.SIZE);
        long alignment = row.numberOr(CsvColumns.ALIGNMENT, 1);
        long offset = row.numberOr(CsvColumns.OFFSET, Problem.NOT_FIXED);
        try {
            if (offset < 0) {
                builder.addAligned(row.id(), lower, upper, size, alignment);
            } else {
                builder.addFixed(row.id(), lower, upper, size, alignment, offset);
            }
        } catch (InvalidPlanException e) {
            throw row.malformed(Objects.requireNonNull(e.getMessage()), e);
        }
    }

    /** The problem as CSV, with columns for alignment and offset if a buffer needs them. */
    public static String format(Problem problem) {
        return new CsvText(problem, null).toString();
    }

    /** The problem with the offsets of a solution. */
    public static String format(Problem problem, Solution solution) {
        return new CsvText(problem, solution).toString();
    }

    /**
     * Writes the problem with the offsets of a solution to a file.
     *
     * @throws MalformedDataException if the file cannot be written
     */
    public static void write(Path file, Problem problem, Solution solution) {
        try {
            Files.writeString(file, format(problem, solution), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new MalformedDataException(file + " cannot be written: " + e.getMessage(), e);
        }
    }
}
