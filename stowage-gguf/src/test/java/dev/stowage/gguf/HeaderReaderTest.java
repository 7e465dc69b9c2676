package dev.stowage.gguf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.error.AccessException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HeaderReaderTest {

    @TempDir
    private Path folder;

    private GgufHeader read(RawFile file) throws IOException {
        return GgufHeader.read(file.writeTo(folder.resolve("model.gguf")));
    }

    @Test
    void readsEveryTypeOfValue() throws IOException {
        RawFile file = RawFile.head(0, 12);
        file.key("u8", RawFile.U8).bytes(200);
        file.key("i8", RawFile.I8).bytes(200);
        file.key("u16", RawFile.U16).u16(40_000);
        file.key("i16", RawFile.I16).u16(40_000);
        file.key("u32", RawFile.U32).u32(3_000_000_000L);
        file.key("i32", RawFile.I32).u32(3_000_000_000L);
        file.key("f32", RawFile.F32).u32(Float.floatToIntBits(1.5f));
        file.key("bool", RawFile.BOOL).bytes(1);
        file.key("str", RawFile.STRING).text("Grüße, 世界");
        file.key("u64", RawFile.U64).u64(-1);
        file.key("i64", RawFile.I64).u64(-1);
        file.key("f64", RawFile.F64).u64(Double.doubleToLongBits(-2.25));

        GgufMetadata metadata = read(file).metadata();

        assertThat(metadata.entries().keySet())
                .containsExactly("u8", "i8", "u16", "i16", "u32", "i32", "f32", "bool", "str", "u64", "i64", "f64");
        assertThat(metadata.whole("u8")).isEqualTo(200);
        assertThat(metadata.whole("i8")).isEqualTo(200 - 256);
        assertThat(metadata.whole("u16")).isEqualTo(40_000);
        assertThat(metadata.whole("i16")).isEqualTo(40_000 - 65_536);
        assertThat(metadata.whole("u32")).isEqualTo(3_000_000_000L);
        assertThat(metadata.whole("i32")).isEqualTo(3_000_000_000L - (1L << 32));
        assertThat(metadata.real("f32")).isEqualTo(1.5);
        assertThat(metadata.bool("bool")).isTrue();
        assertThat(metadata.text("str")).isEqualTo("Grüße, 世界");
        assertThat(metadata.get("u64").display()).isEqualTo("18446744073709551615");
        assertThat(metadata.whole("i64")).isEqualTo(-1);
        assertThat(metadata.real("f64")).isEqualTo(-2.25);
    }

    @Test
    void readsArraysOfEveryType() throws IOException {
        RawFile file = RawFile.head(0, 5);
        file.key("wholes", RawFile.ARRAY).u32(RawFile.I16).u64(2).u16(7).u16(65_535);
        file.key("reals", RawFile.ARRAY).u32(RawFile.F32).u64(1).u32(Float.floatToIntBits(0.5f));
        file.key("truths", RawFile.ARRAY).u32(RawFile.BOOL).u64(2).bytes(0, 1);
        file.key("texts", RawFile.ARRAY)
                .u32(RawFile.STRING)
                .u64(3)
                .text("a")
                .text("")
                .text("ü");
        file.key("none", RawFile.ARRAY).u32(RawFile.U64).u64(0);

        GgufMetadata metadata = read(file).metadata();

        assertThat(metadata.array("wholes").ints()).containsExactly(7, -1);
        assertThat(metadata.array("reals").floats()).containsExactly(0.5f);
        assertThat(metadata.array("truths").bool(0)).isFalse();
        assertThat(metadata.array("truths").bool(1)).isTrue();
        assertThat(metadata.array("texts").texts()).containsExactly("a", "", "ü");
        assertThat(metadata.array("none").size()).isZero();
    }

    /** Longer than the window that is read at a time, so that strings cross its end. */
    @Test
    void readsArraysOfAnyLength() throws IOException {
        RawFile file = RawFile.head(0, 1)
                .key("texts", RawFile.ARRAY)
                .u32(RawFile.STRING)
                .u64(50_000);
        for (int i = 0; i < 50_000; i++) {
            file.text("token " + i);
        }

        List<String> texts = read(file).metadata().array("texts").texts();

        for (int i = 0; i < 50_000; i++) {
            assertThat(texts.get(i)).isEqualTo("token " + i);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void readsBothVersionsThatAreInUse(int version) throws IOException {
        GgufHeader header = read(new RawFile().ascii("GGUF").u32(version).u64(0).u64(0));

        assertThat(header.version()).isEqualTo(version);
    }

    @Test
    void readsTensorsWithTheirPlaces() throws IOException {
        RawFile file = RawFile.head(3, 0);
        file.tensor("a", ElementType.Q8_0.code(), 0, 64, 2);
        file.tensor("scalar", ElementType.F32.code(), 160);
        file.tensor("b", ElementType.F16.code(), 192, 3, 1, 1, 2);

        GgufHeader header = read(file);

        assertThat(header.tensors())
                .extracting(GgufTensor::name, GgufTensor::type, GgufTensor::shape, GgufTensor::offset)
                .containsExactly(
                        Assertions.tuple("a", ElementType.Q8_0, Shape.of(64, 2), 0L),
                        Assertions.tuple("scalar", ElementType.F32, Shape.SCALAR, 160L),
                        Assertions.tuple("b", ElementType.F16, Shape.of(3, 1, 1, 2), 192L));
        assertThat(header.dataOffset()).isEqualTo((file.size() + 31L) / 32 * 32);
        assertThat(header.dataBytes()).isEqualTo(192 + 12);
    }

    @ParameterizedTest
    @CsvSource({"8", "64", "4096", "2147483648"})
    void theDataBeginsAtAMultipleOfTheAlignment(long alignment) throws IOException {
        RawFile file = RawFile.head(1, 1)
                .key("general.alignment", RawFile.U32)
                .u32(alignment)
                .tensor("a", 0, 0, 4);

        GgufHeader header = read(file);

        assertThat(header.alignment()).isEqualTo(alignment);
        assertThat(header.dataOffset() % alignment).isZero();
        assertThat(header.dataOffset()).isGreaterThanOrEqualTo(file.size());
        assertThat(header.dataOffset() - alignment).isLessThan(file.size());
    }

    @Test
    void tensorsMayBeStoredInAnyOrderAndWithGaps() throws IOException {
        RawFile file = RawFile.head(2, 0).tensor("late", 0, 320, 4).tensor("early", 0, 64, 4);

        assertThat(read(file).dataBytes()).isEqualTo(320 + 16);
    }

    @Test
    void theHeadIsAllThatIsNeeded() throws IOException {
        Path whole = SmallModel.write(folder.resolve("whole.gguf"));
        GgufHeader complete = GgufHeader.read(whole);
        byte[] head = Arrays.copyOf(Files.readAllBytes(whole), Math.toIntExact(complete.dataOffset()) + 10);
        Path cut = Files.write(folder.resolve("cut.gguf"), head);

        GgufContents contents = GgufContents.read(cut);

        assertThat(contents.tensors().keySet())
                .containsExactlyElementsOf(
                        SmallModel.ALL.stream().map(TensorSpec::name).toList());
        assertThat(contents.metadata()).isEqualTo(complete.metadata());
        assertThat(GgufSummary.of(contents).missingBytes()).isEqualTo(complete.dataBytes() - 10);
        Assertions.assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(contents::requireData)
                .withMessageContaining("data of tensor 'token_embd.weight'")
                .withMessageContaining("the file ends at byte " + head.length);
    }

    @Test
    void whatIsAskedForByTheWrongKindIsAnErrorThatNamesTheKey() throws IOException {
        RawFile file = RawFile.head(0, 2);
        file.key("general.name", RawFile.STRING).text("x");
        file.key("list", RawFile.ARRAY).u32(RawFile.STRING).u64(1).text("a");
        GgufMetadata metadata = read(file).metadata();

        Assertions.assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> metadata.whole("general.name"))
                .withMessageContaining("model.gguf: key 'general.name' is not a whole number, but str");
        Assertions.assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> metadata.text("missing"))
                .withMessageContaining("has no key 'missing'");
        Assertions.assertThatExceptionOfType(AccessException.class)
                .isThrownBy(() -> metadata.array("list").ints())
                .withMessageContaining("an array of str does not hold whole numbers");
        assertThat(metadata.whole("missing", 7)).isEqualTo(7);
    }
}
