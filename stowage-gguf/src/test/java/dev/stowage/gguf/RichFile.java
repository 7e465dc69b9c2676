package dev.stowage.gguf;

import dev.stowage.tensor.ElementType;

/** The head of a file with something of every kind, for a fuzzer to begin with. */
final class RichFile {

    private RichFile() {}

    static byte[] bytes() {
        RawFile file = RawFile.head(2, 15);
        file.key("general.alignment", RawFile.U32).u32(64);
        file.key("u8", RawFile.U8).bytes(200);
        file.key("i8", RawFile.I8).bytes(200);
        file.key("u16", RawFile.U16).u16(40_000);
        file.key("i16", RawFile.I16).u16(40_000);
        file.key("i32", RawFile.I32).u32(-1);
        file.key("f32", RawFile.F32).u32(Float.floatToIntBits(1.5f));
        file.key("bool", RawFile.BOOL).bytes(1);
        file.key("str", RawFile.STRING).text("Grüße, 世界");
        file.key("u64", RawFile.U64).u64(-1);
        file.key("i64", RawFile.I64).u64(-1);
        file.key("f64", RawFile.F64).u64(Double.doubleToLongBits(-2.25));
        file.key("tokens", RawFile.ARRAY)
                .u32(RawFile.STRING)
                .u64(3)
                .text("a")
                .text("")
                .text("ü");
        file.key("scores", RawFile.ARRAY).u32(RawFile.F32).u64(2).u32(0).u32(1);
        file.key("flags", RawFile.ARRAY).u32(RawFile.BOOL).u64(2).bytes(0, 1);
        file.tensor("one", ElementType.F32.code(), 0, 4, 2);
        file.tensor("two", ElementType.Q8_0.code(), 64, 32);
        return file.padTo(64).zeros(64 + 34).toBytes();
    }
}
