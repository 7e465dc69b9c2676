package dev.stowage.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.stowage.error.MalformedDataException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class HostileFilesTest {

    private static final long HUGE = 1L << 60;

    @TempDir
    private Path folder;

    /** What is wrong, the file, the byte that must be named, and what the message must say. */
    static Stream<Arguments> wrongFiles() {
        return Stream.of(wrongHeads(), wrongEntries(), wrongTensors()).flatMap(each -> each);
    }

    private static Stream<Arguments> wrongHeads() {
        return Stream.of(
                arguments("nothing", new RawFile(), 0, "magic: the file ends here, 4 bytes too early"),
                arguments("another magic", new RawFile().ascii("ggjt").u32(3), 0, "begins with 'ggjt'"),
                arguments("binary magic", new RawFile().bytes(0x7F, 'E', 'L', 'F'), 0, "begins with '?ELF'"),
                arguments("magic reversed", new RawFile().ascii("FUGG").u32(3), 0, "magic: this is a big-endian file"),
                arguments(
                        "big-endian",
                        new RawFile().ascii("GGUF").bytes(0, 0, 0, 3).zeros(16),
                        4,
                        "version: this is a big-endian file of version 3"),
                arguments("version 0", new RawFile().ascii("GGUF").u32(0).zeros(16), 4, "version 0 is not one of"),
                arguments("version 1", new RawFile().ascii("GGUF").u32(1).zeros(16), 4, "convert the model again"),
                arguments("version 4", new RawFile().ascii("GGUF").u32(4).zeros(16), 4, "version 4 is not one of"),
                arguments(
                        "tensors that overflow",
                        RawFile.head(-1, 0),
                        8,
                        "number of tensors: 18446744073709551615 tensors cannot be in the 8 bytes that are left"),
                arguments(
                        "more tensors than bytes",
                        RawFile.head(3, 0).zeros(50),
                        8,
                        "number of tensors: 3 tensors cannot be in the 50 bytes that are left: the file is cut short"),
                arguments(
                        "more entries than bytes",
                        RawFile.head(0, HUGE).zeros(100),
                        16,
                        "number of metadata entries: " + HUGE + " entries cannot be in the 100 bytes"));
    }

    private static Stream<Arguments> wrongEntries() {
        return Stream.of(
                arguments(
                        "a key longer than the file",
                        RawFile.head(0, 1).u64(HUGE).zeros(20),
                        24,
                        "key 0: its length of " + HUGE + " bytes is more than the 20 that are left"),
                arguments(
                        "a key of negative length",
                        RawFile.head(0, 1).u64(-1).zeros(20),
                        24,
                        "key 0: its length of 18446744073709551615 bytes"),
                arguments("an empty key", RawFile.head(0, 1).text("").zeros(20), 24, "key 0: it is empty"),
                arguments(
                        "a key that is not UTF-8",
                        RawFile.head(0, 1).u64(3).bytes('a', 0xC3, 0x28).zeros(20),
                        33,
                        "key 0: it is not UTF-8"),
                arguments(
                        "a key twice",
                        RawFile.head(0, 2)
                                .key("k", RawFile.U8)
                                .bytes(1)
                                .key("k", RawFile.U8)
                                .bytes(2),
                        38,
                        "key 1: 'k' was there before"),
                arguments(
                        "a key that commands the terminal",
                        RawFile.head(0, 1).key("\u001B[31m\n", 13).zeros(9),
                        38,
                        "type of key '\\u{1b}[31m\\n': there is no type 13"),
                arguments(
                        "an unknown type",
                        RawFile.head(0, 1).key("k", 13).zeros(9),
                        33,
                        "type of key 'k': there is no type 13"),
                arguments(
                        "a negative type",
                        RawFile.head(0, 1).key("k", -1).zeros(9),
                        33,
                        "type of key 'k': there is no type 4294967295"),
                arguments(
                        "neither true nor false",
                        RawFile.head(0, 1).key("k", RawFile.BOOL).bytes(2),
                        37,
                        "value of key 'k': the byte 2 is neither true (1) nor false (0)"),
                arguments(
                        "a string that is not UTF-8",
                        RawFile.head(0, 1).key("k", RawFile.STRING).u64(1).bytes(0xFF),
                        45,
                        "value of key 'k': it is not UTF-8"),
                arguments(
                        "an array in an array",
                        RawFile.head(0, 1)
                                .key("k", RawFile.ARRAY)
                                .u32(RawFile.ARRAY)
                                .zeros(30),
                        37,
                        "element type of key 'k': arrays within arrays cannot be read"),
                arguments(
                        "an array longer than the file",
                        RawFile.head(0, 1)
                                .key("k", RawFile.ARRAY)
                                .u32(RawFile.U32)
                                .u64(3)
                                .zeros(11),
                        41,
                        "number of elements of key 'k': 3 elements cannot be in the 11 bytes that are left: the file is cut"
                                + " short, not yet complete, or damaged"),
                arguments(
                        "an array whose bytes overflow",
                        RawFile.head(0, 1)
                                .key("k", RawFile.ARRAY)
                                .u32(RawFile.U64)
                                .u64(1L << 61)
                                .zeros(16),
                        41,
                        "cannot be in the 16 bytes that are left"),
                arguments(
                        "more strings than bytes",
                        RawFile.head(0, 1)
                                .key("k", RawFile.ARRAY)
                                .u32(RawFile.STRING)
                                .u64(2)
                                .zeros(15),
                        41,
                        "number of elements of key 'k': 2 elements cannot be in the 15 bytes"),
                arguments(
                        "a wrong string in an array",
                        RawFile.head(0, 1)
                                .key("k", RawFile.ARRAY)
                                .u32(RawFile.STRING)
                                .u64(2)
                                .text("right")
                                .u64(HUGE),
                        62,
                        "element 1 of the elements of key 'k': its length of " + HUGE),
                arguments(
                        "an alignment of another type",
                        RawFile.head(0, 1).key("general.alignment", RawFile.U64).u64(32),
                        49,
                        "type of key 'general.alignment': it must be u32, and not u64"),
                arguments(
                        "an alignment of 0",
                        RawFile.head(0, 1).key("general.alignment", RawFile.U32).u32(0),
                        53,
                        "value of key 'general.alignment': 0 is not an alignment"),
                arguments(
                        "an alignment of 4",
                        RawFile.head(0, 1).key("general.alignment", RawFile.U32).u32(4),
                        53,
                        "4 is not an alignment"),
                arguments(
                        "an alignment of 48",
                        RawFile.head(0, 1).key("general.alignment", RawFile.U32).u32(48),
                        53,
                        "48 is not an alignment: it must be a power of two"));
    }

    private static Stream<Arguments> wrongTensors() {
        return Stream.of(
                arguments("no name", RawFile.head(1, 0).tensor("", 0, 0, 4), 24, "name of tensor 0: it is empty"),
                arguments(
                        "a name that is not UTF-8",
                        RawFile.head(1, 0).u64(1).bytes(0x80).zeros(40),
                        32,
                        "name of tensor 0: it is not UTF-8"),
                arguments(
                        "a name twice",
                        RawFile.head(2, 0).tensor("a", 0, 0, 4).tensor("a", 0, 32, 4),
                        57,
                        "name of tensor 1: 'a' is the name of tensor 0"),
                arguments(
                        "five dimensions",
                        RawFile.head(1, 0).tensor("a", 0, 0, 1, 1, 1, 1, 1),
                        33,
                        "dimensions of tensor 'a': 5 dimensions are more than 4"),
                arguments(
                        "dimensions that overflow",
                        RawFile.head(1, 0).text("a").u32(-1).zeros(40),
                        33,
                        "4294967295 dimensions are more than 4"),
                arguments(
                        "a negative dimension",
                        RawFile.head(1, 0).tensor("a", 0, 0, 4, -1),
                        45,
                        "dimension 1 is 18446744073709551615"),
                arguments(
                        "too many elements",
                        RawFile.head(1, 0).tensor("a", 0, 0, 1L << 40, 1L << 40),
                        33,
                        "more elements than a long can count"),
                arguments(
                        "too many bytes",
                        RawFile.head(1, 0).tensor("a", 0, 0, 1L << 62),
                        45,
                        "type of tensor 'a': a row of"),
                arguments(
                        "an unknown type",
                        RawFile.head(1, 0).tensor("a", 4, 0, 32),
                        45,
                        "type of tensor 'a': unknown element type code 4"),
                arguments(
                        "rows that are not a whole number of blocks",
                        RawFile.head(1, 0).tensor("a", 2, 0, 33),
                        45,
                        "the first dimension must be a multiple of 32"),
                arguments(
                        "an offset that is not aligned",
                        RawFile.head(1, 0).tensor("a", 0, 16, 4),
                        49,
                        "offset of tensor 'a': 16 is not a multiple of the alignment 32"),
                arguments(
                        "a negative offset",
                        RawFile.head(1, 0).tensor("a", 0, -32, 4),
                        49,
                        "offset of tensor 'a': 18446744073709551584"),
                arguments(
                        "an offset that overflows",
                        RawFile.head(1, 0).tensor("a", 0, Long.MAX_VALUE - 31, 4),
                        49,
                        "are more than a file can have"),
                arguments(
                        "tensors that overlap",
                        RawFile.head(2, 0).tensor("a", 0, 0, 9).tensor("b", 0, 32, 4),
                        82,
                        "offset of tensor 'b': 32 is within the data of tensor 'a'"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrongFiles")
    void whatIsWrongIsNamedWithFileByteAndField(String what, RawFile bytes, long offset, String message)
            throws IOException {
        Path file = bytes.writeTo(folder.resolve("wrong.gguf"));

        assertThatExceptionOfType(MalformedDataException.class)
                .as(what)
                .isThrownBy(() -> GgufContents.read(file))
                .withMessageStartingWith(file + ", byte " + offset + ", ")
                .withMessageContaining(message);
    }

    /** Everything a head can have. */
    private static byte[] richHead() {
        RawFile file = RawFile.head(2, 4);
        file.key("name", RawFile.STRING).text("Grüße");
        file.key("tokens", RawFile.ARRAY).u32(RawFile.STRING).u64(2).text("a").text("bc");
        file.key("scores", RawFile.ARRAY).u32(RawFile.F64).u64(2).u64(1).u64(2);
        file.key("count", RawFile.U16).u16(3);
        file.tensor("one", 0, 0, 4, 2).tensor("two", 8, 32, 32);
        return file.toBytes();
    }

    @Test
    void aHeadThatIsCutAnywhereIsRefused() {
        byte[] whole = richHead();
        assertThat(HeaderFuzzer.read(whole).tensors()).hasSize(2);
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatExceptionOfType(MalformedDataException.class)
                    .as("cut to %d bytes", length)
                    .isThrownBy(() -> HeaderFuzzer.read(cut))
                    .withMessageMatching("fuzzed\\.gguf, byte \\d+, .*");
        }
    }

    @Test
    void aFileThatGetsShorterWhileItsHeadIsReadIsRefused() {
        byte[] whole = richHead();
        for (int length = 0; length < whole.length; length++) {
            MemorySource shorter = new MemorySource(Arrays.copyOf(whole, length));
            GgufInput input = new GgufInput(shorter, "shrunk.gguf", whole.length);
            assertThatExceptionOfType(MalformedDataException.class)
                    .as("cut to %d bytes", length)
                    .isThrownBy(() -> new HeaderReader(Path.of("shrunk.gguf"), input, 0).read(whole.length))
                    .withMessageContaining("the file ends here");
        }
    }

    @Test
    void aTensorWhoseDataIsNotThereIsNamed() throws IOException {
        Path file = RawFile.head(1, 0)
                .tensor("weights", 0, 32, 8)
                .padTo(32)
                .zeros(32 + 31)
                .writeTo(folder.resolve("short.gguf"));

        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> GgufFile.open(file))
                .withMessageStartingWith(file + ", byte 96, data of tensor 'weights'")
                .withMessageContaining("it needs 32 bytes, but the file ends at byte 127");
    }

    @Test
    void lyingCountsCauseNoAllocation() {
        byte[] forged = RawFile.head(0, 1)
                .key("k", RawFile.ARRAY)
                .u32(RawFile.U8)
                .u64(1L << 31)
                .zeros(8)
                .toBytes();
        refusedBytes(forged);

        assertThat(refusedBytes(forged)).isLessThan(1 << 18);
    }

    @Test
    void stringsTakeTheMemoryTheFileJustifies() {
        RawFile file =
                RawFile.head(0, 1).key("k", RawFile.ARRAY).u32(RawFile.STRING).u64(100_000);
        for (int i = 0; i < 99_999; i++) {
            file.u64(0);
        }
        byte[] forged = file.u64(1).toBytes();
        refusedBytes(forged);

        assertThat(refusedBytes(forged)).isLessThan(2L * forged.length);
    }

    private static long refusedBytes(byte[] file) {
        long before = allocatedBytes();
        assertThatExceptionOfType(MalformedDataException.class).isThrownBy(() -> HeaderFuzzer.read(file));
        return allocatedBytes() - before;
    }

    /** Asked by name, because the module of the code under test does without the one that knows. */
    private static long allocatedBytes() {
        try {
            Object threads = Class.forName("java.lang.management.ManagementFactory")
                    .getMethod("getThreadMXBean")
                    .invoke(null);
            return (long) Class.forName("com.sun.management.ThreadMXBean")
                    .getMethod("getCurrentThreadAllocatedBytes")
                    .invoke(threads);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("this Java does not count what a thread allocates", e);
        }
    }

    @Test
    void sizesThatOnlyTheSumOfMakesTooLargeAreRefused() throws IOException {
        RawFile file = RawFile.head(2, 0);
        // Bytes of both fit, one after the other; their elements, five to a byte, do not.
        file.tensor("a", 19, 0, 256, 1L << 54).tensor("b", 19, 50L << 54, 256, 1L << 54);

        Path path = file.writeTo(folder.resolve("sum.gguf"));

        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> GgufContents.read(path))
                .withMessageContaining("tensor 'b' takes the model past the parameters");
    }

    @Test
    void whatIsNotAFileIsRefusedAndNotWaitedFor() throws IOException {
        Path missing = folder.resolve("missing.gguf");
        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> GgufContents.read(missing))
                .withMessage("no such file: " + missing);
        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> GgufContents.read(folder))
                .withMessage(folder + " is a directory");
        Path device = Path.of("/dev/zero");
        if (Files.exists(device)) {
            assertThatExceptionOfType(MalformedDataException.class)
                    .isThrownBy(() -> GgufContents.read(device))
                    .withMessage("/dev/zero is not a regular file");
        }
    }
}
