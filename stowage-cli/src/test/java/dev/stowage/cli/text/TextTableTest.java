package dev.stowage.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class TextTableTest {
    private final StringWriter text = new StringWriter();
    private final PrintWriter out = new PrintWriter(text);

    @Test
    void columnsAreAsWideAsTheirWidestCell() {
        TextTable.aligned("lrl")
                .row("name", "bytes", "remark")
                .row("a", "1,024", "")
                .row("longer", "7", "x")
                .print(out);

        assertThat(text.toString().lines())
                .containsExactly("name    bytes  remark", "a       1,024", "longer      7  x");
    }

    @Test
    void aTableCanBeIndented() {
        TextTable.aligned("l").row("one").printIndented(out);

        assertThat(text.toString().lines()).containsExactly("  one");
    }

    @Test
    void aRowHasACellForEachColumn() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TextTable.aligned("lr").row("one"))
                .withMessage("a row of 1 cells in a table of 2 columns");
    }

    @Test
    void aLineIsFormattedBeforeOtherRowsAreKnown() {
        TextTable table = TextTable.aligned("lrl").withWidths(4, 3, 0);

        assertThat(table.line("a", "1", "b")).isEqualTo("a       1  b");
        assertThat(table.line("longer", "2", "")).isEqualTo("longer    2");
        assertThat(table.lines()).isEmpty();
    }

    @Test
    void columnsOfWordsAreShortenedForANarrowTerminalAndNumbersAreNot() {
        TextTable table = TextTable.aligned("llr")
                .row("device", "holds", "bytes")
                .row("gpu0", "embeddings, layers 0-21, output", "123,456");

        assertThat(table.lines(34))
                .containsExactly("device  holds" + " ".repeat(16) + "bytes", "gpu0    embeddings, laye…  123,456");
        assertThat(table.lines(100)).isEqualTo(table.lines());
        assertThat(table.lines(5).getLast()).endsWith("  123,456");
    }
}
