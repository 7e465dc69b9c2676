package dev.stowage.testkit.golden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.stowage.error.MalformedDataException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class GoldenFileTest {

    private static final String LEAF = "{\"id\":0,\"name\":\"a\",\"type\":\"f32\",\"op\":\"NONE\",\"ne\":[4,1,1,1],"
            + "\"nb\":[4,16,16,16],\"nbytes\":16}";
    private static final String NODE = "{\"id\":1,\"name\":\"b\",\"type\":\"f32\",\"op\":\"SQR\",\"ne\":[4,1,1,1],"
            + "\"nb\":[4,16,16,16],\"nbytes\":16,\"src\":[0]}";
    private static final String VIEW = "{\"id\":2,\"name\":\"c\",\"type\":\"f32\",\"op\":\"VIEW\",\"ne\":[2,1,1,1],"
            + "\"nb\":[4,8,8,8],\"nbytes\":8,\"src\":[1],\"view_src\":1,\"view_offs\":8}";
    private static final String GOOD = "{\"case\":\"good\",\"buffer_types\":[{\"name\":\"A\",\"alignment\":32,"
            + "\"max_size\":null,\"size_multiple\":1,\"host\":true}],\"tensors\":[" + LEAF + "," + NODE + "," + VIEW
            + "],\"nodes\":[1,2],\"leafs\":[0],\"expect\":{\"buffer_sizes\":[16],\"chunks\":[[16]],"
            + "\"placement\":{\"0\":[0,0,0],\"1\":[0,0,0],\"2\":[0,0,8]}}}";

    @TempDir
    private Path folder;

    private GoldenFile plain(String text) throws IOException {
        return GoldenFile.of(Files.writeString(folder.resolve("cases.jsonl"), text));
    }

    private static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream compressed = new GZIPOutputStream(bytes)) {
            compressed.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }

    private static List<String> names(GoldenFile file) {
        try (Stream<AllocCase> cases = file.allocCases()) {
            return cases.map(AllocCase::name).toList();
        }
    }

    @Test
    void readsPlainFilesLineByLine() throws IOException {
        GoldenFile file = plain(GOOD + "\n\n" + GOOD.replace("good", "better") + "\n");
        assertThat(names(file)).containsExactly("good", "better");
    }

    @Test
    void readsCompressedFilesWhateverTheirName() throws IOException {
        GoldenFile file = GoldenFile.of(Files.write(folder.resolve("cases"), gzip(GOOD + "\n" + GOOD)));
        assertThat(names(file)).containsExactly("good", "good");
    }

    @Test
    void beginsAnewWithEachStream() throws IOException {
        GoldenFile file = plain(GOOD);
        assertThat(names(file)).isEqualTo(names(file));
    }

    @Test
    void readsCasesOnlyAsTheyAreAskedFor() throws IOException {
        try (Stream<AllocCase> cases = plain(GOOD + "\nno case").allocCases()) {
            assertThat(cases.findFirst()).isPresent();
        }
    }

    @Test
    void putsEverythingIntoTheFirstBufferWhereNothingIsSaid() throws IOException {
        try (Stream<AllocCase> cases = plain(GOOD).allocCases()) {
            AllocCase read = cases.toList().getFirst();
            assertThat(read.nodeBuffers()).containsExactly(0, 0);
            assertThat(read.leafBuffers()).containsExactly(0);
        }
    }

    @Test
    void namesTheFileThatIsNotThere() {
        GoldenFile file = GoldenFile.of(folder.resolve("none.jsonl"));
        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> names(file))
                .withMessageContaining("none.jsonl cannot be read");
    }

    @Test
    void namesTheResourceThatIsNotThere() {
        GoldenFile file = GoldenFile.resource(GoldenFileTest.class, "/golden/none.jsonl");
        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> names(file))
                .withMessageContaining("/golden/none.jsonl cannot be read");
    }

    @Test
    void saysHowFarATruncatedFileCouldBeRead() throws IOException {
        byte[] whole = gzip(GOOD + "\n" + GOOD);
        GoldenFile file = GoldenFile.of(Files.write(folder.resolve("cut.gz"), Arrays.copyOf(whole, whole.length - 12)));
        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> names(file))
                .withMessageContaining("cut.gz cannot be read beyond line ");
    }

    @Test
    void refusesBytesThatAreNotText() throws IOException {
        GoldenFile file = GoldenFile.of(Files.write(folder.resolve("bytes"), new byte[] {'{', (byte) 0xff, '}'}));
        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> names(file))
                .withMessageContaining("bytes cannot be read beyond line 0");
    }

    @Test
    void countsLinesThroughTheWholeFile() throws IOException {
        GoldenFile file = plain(GOOD + "\n\n{\"case\":}\n");
        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> names(file))
                .withMessageContaining("cases.jsonl, line 3, column 9: expected a value");
    }

    /** A part of the good case, what stands there instead, and what is said about it. */
    static Stream<Arguments> broken() {
        return Stream.of(
                arguments("\"case\":\"good\",", "", "case without a name: (document): the member \"case\" is missing"),
                arguments("\"alignment\":32", "\"alignment\":33", "case good: buffer_types[0]: "),
                arguments("\"host\":true", "\"host\":1", "buffer_types[0].host: expected true or false"),
                arguments("\"type\":\"f32\",\"op\":\"SQR\"", "\"type\":\"f31\",\"op\":\"SQR\"", "unknown element type"),
                arguments("\"op\":\"SQR\"", "\"op\":\"CUBE\"", "tensors[1].op: there is no Op of the name 'CUBE'"),
                arguments("\"op\":\"SQR\"", "\"op\":\"UNARY\"", "tensors[1]: the member \"unary\" is missing"),
                arguments("\"op\":\"SQR\"", "\"op\":\"GLU\",\"glu\":\"X\"", "tensors[1].glu: there is no GluFunction"),
                arguments("\"src\":[0]", "\"src\":[2]", "tensors[1].src[0]: tensor 2 is not known here"),
                arguments("\"id\":1", "\"id\":0", "tensors[1].id: there are two tensors 0"),
                arguments("[4,8,8,8]", "[4,8,8]", "tensors[2].nb: expected 4 numbers, found 3"),
                arguments("[4,8,8,8]", "[4,-8,8,8]", "tensors[2]: a stride is negative"),
                arguments(
                        "\"nbytes\":8",
                        "\"nbytes\":9",
                        "case good: tensors[2].nbytes: tensor 2 'c' (f32[2]) has 8 bytes, the file says 9"),
                arguments("\"view_offs\":8", "\"view_offs\":12", "tensors[2]: a view f32[2] of 8 bytes"),
                arguments("\"view_offs\":8", "\"view_offs\":-4", "tensors[2]: a view of 'b'"),
                arguments("\"nodes\":[1,2]", "\"nodes\":[1,5]", "nodes[1]: tensor 5 is not known here"),
                arguments("\"nodes\":[1,2]", "\"nodes\":[1,1]", "nodes: 'b' (SQR f32[4]) is listed twice"),
                arguments("\"nodes\":[1,2]", "\"nodes\":[2,1]", "nodes: 'c' (VIEW f32[2]) would run before"),
                arguments("\"leafs\"", "\"node_buffers\":[0],\"leafs\"", "node_buffers: expected 2 numbers, found 1"),
                arguments(
                        "\"leafs\"",
                        "\"node_buffers\":[0,1],\"leafs\"",
                        "node_buffers[1]: expected a whole number from 0 to 0, found the number 1"),
                arguments("[[16]]", "[[16],[16]]", "expect.chunks: expected one entry for each of 1 buffers, found 2"),
                arguments("\"buffer_sizes\":[16]", "\"buffer_sizes\":[]", "expect.buffer_sizes: expected one entry"),
                arguments("\"0\":[0,0,0]", "\"8\":[0,0,0]", "expect.placement.8: there is no tensor 8"),
                arguments("\"0\":[0,0,0]", "\"x\":[0,0,0]", "expect.placement.x: there is no tensor x"),
                arguments("\"0\":[0,0,0]", "\"0\":[0,1,0]", "expect.placement.0[1]: expected a whole number"),
                arguments("\"0\":[0,0,0]", "\"0\":[0,0]", "expect.placement.0: there is no element 2"));
    }

    @ParameterizedTest
    @MethodSource("broken")
    void saysWhatIsWrongAndWhere(String part, String replacement, String complaint) throws IOException {
        assertThat(GOOD).containsOnlyOnce(part);
        GoldenFile file = plain(GOOD + "\n" + GOOD.replace(part, replacement));
        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> names(file))
                .withMessageContaining("cases.jsonl, line 2, case ")
                .withMessageContaining(complaint);
    }

    @Test
    void refusesAViewOfAView() throws IOException {
        String second = VIEW.replace("\"id\":2", "\"id\":3").replace("\"view_src\":1", "\"view_src\":2");
        GoldenFile file = plain(GOOD.replace(VIEW, VIEW + "," + second));
        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> names(file))
                .withMessageContaining("tensors[3].view_src: tensor 2 is itself a view");
    }

    @Test
    void refusesOneNameForTwoSetsOfRules() throws IOException {
        String again = "{\"name\":\"A\",\"alignment\":64,\"max_size\":null,\"size_multiple\":1,\"host\":true}";
        GoldenFile file = plain(GOOD.replace("\"buffer_types\":[", "\"buffer_types\":[" + again + ","));
        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> names(file))
                .withMessageContaining("buffer_types[1]: the buffer type 'A' has other rules than at buffer_types[0]");
    }
}
