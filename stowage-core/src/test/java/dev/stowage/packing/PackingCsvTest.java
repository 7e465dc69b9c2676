package dev.stowage.packing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.MalformedDataException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** MiniMalloc's CSV in and out, and what is said about files that are none. */
class PackingCsvTest {

    @Test
    void readsTheRequiredColumnsInAnyOrder() {
        Problem problem = PackingCsv.parse("size,upper,id,lower\n7,5,x,2\n");

        assertThat(problem.id(0)).isEqualTo("x");
        assertThat(problem.from(0)).isEqualTo(2);
        assertThat(problem.to(0)).isEqualTo(5);
        assertThat(problem.size(0)).isEqualTo(7);
    }

    @Test
    void readsAlignmentAndFixedOffsets() {
        Problem problem =
                PackingCsv.parse("id,lower,upper,size,alignment,offset\na,0,1,8,4,12\nb,0,1,8,4,\nc,0,1,8,,-1\n");

        assertThat(problem.fixedOffset(0)).hasValue(12);
        assertThat(problem.alignment(0)).isEqualTo(4);
        assertThat(problem.isFixed(1)).isFalse();
        assertThat(problem.isFixed(2)).isFalse();
        assertThat(problem.alignment(2)).isEqualTo(1);
    }

    @Test
    void takesABufferWithGapsAsLiveThroughout() {
        Problem problem = PackingCsv.parse("id,lower,upper,size,hint,gaps\na,0,10,8,-1,3-5 7-8@0:4\n");

        assertThat(problem.from(0)).isZero();
        assertThat(problem.to(0)).isEqualTo(10);
    }

    @Test
    void understandsTheLastMomentInsteadOfTheFirstAfterIt() {
        Problem problem = PackingCsv.parse("buffer,start,end,size\na,0,9,8\n");

        assertThat(problem.to(0)).isEqualTo(10);
    }

    @Test
    void readsLinesThatEndAsOnWindowsAndBlankLines() {
        assertThat(PackingCsv.parse("id,lower,upper,size\r\na,0,1,2\r\n\r\n").count())
                .isEqualTo(1);
    }

    @Test
    void readsWhatItWrites() {
        for (long seed = 0; seed < 50; seed++) {
            Problem problem = RandomProblems.mixed(seed, 30);
            String text = PackingCsv.format(problem);

            assertThat(PackingCsv.format(PackingCsv.parse(text)))
                    .as("seed %d", seed)
                    .isEqualTo(text);
        }
    }

    @Test
    void writesTheOffsetsOfASolution() {
        Problem problem = Problem.builder().add("a", 0, 1, 2).add("b", 0, 1, 3).build();

        assertThat(PackingCsv.format(problem, Solution.of(problem, new long[] {3, 0})))
                .isEqualTo("id,lower,upper,size,offset\na,0,1,2,3\nb,0,1,3,0\n");
    }

    @Test
    void writesToAFileAndReadsItBack(@TempDir Path folder) {
        Problem problem = Problem.builder().addAligned("a", 0, 1, 2, 64).build();
        Path file = folder.resolve("out.csv");
        PackingCsv.write(file, problem, Solution.of(problem, new long[] {64}));

        assertThat(PackingCsv.read(file).fixedOffset(0)).hasValue(64);
    }

    @Test
    void namesTheFileThatCannotBeRead(@TempDir Path folder) {
        Path file = folder.resolve("missing.csv");

        assertThatThrownBy(() -> PackingCsv.read(file))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("missing.csv");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ''                                  | line 1: the header is missing
            id;lower;upper;size                 | line 1: the column 'id' is missing
            id,lower,upper                      | line 1: the column 'size' is missing
            id,lower,upper,size,id              | line 1: the column 'id' is there twice
            id,lower,upper,size/a,0,1           | line 2: there are 3 fields for 4 columns
            id,lower,upper,size/a,0,1,2/b,0,x,2 | line 3: the upper 'x' is not a whole number
            id,lower,upper,size/a,5,4,2         | line 2: buffer 'a' is live in [5, 4)
            id,lower,upper,size/a,0,1,-2        | line 2: buffer 'a' has -2 bytes
            id,lower,upper,size,ofset           | line 1: there is no column 'ofset'; did you mean 'offset'?
            id,lower,upper,size/a,0,1,2/a,2,3,2 | line 3: the id 'a' is that of line 2 already
            id,lower,upper,size/a,0,1,99999999999999999999 | line 2: the size '99999999999999999999' is beyond
            id,lower,upper,size,offset/a,0,1,9,0/b,0,1,9,8 | after line 3: buffer 'b' is fixed at offset 8
            """)
    void saysWhereAndWhyATextIsNotAProblem(String text, String message) {
        assertThatThrownBy(() -> PackingCsv.parse(text.replace('/', '\n')))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining(message);
    }

    @Test
    void passesOverAByteOrderMark() {
        assertThat(PackingCsv.parse("\uFEFFid,lower,upper,size\na,0,1,8\n").id(0))
                .isEqualTo("a");
    }

    @Test
    void saysThatAFileIsNotText(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("binary.csv");
        Files.write(file, new byte[] {'i', 'd', (byte) 0xff});

        assertThatThrownBy(() -> PackingCsv.read(file))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("binary.csv is not text in UTF-8");
    }
}
