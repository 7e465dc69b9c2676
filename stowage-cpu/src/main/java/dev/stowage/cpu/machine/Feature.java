package dev.stowage.cpu.machine;

/** What a processor may have beyond x86-64, with the bits of CPUID that say so. */
public enum Feature {
    OSXSAVE(1, 0, Word.ECX, 27),
    AVX(1, 0, Word.ECX, 28),
    FMA(1, 0, Word.ECX, 12),
    F16C(1, 0, Word.ECX, 29),
    AVX2(7, 0, Word.EBX, 5),
    AVX512F(7, 0, Word.EBX, 16),
    AVX512DQ(7, 0, Word.EBX, 17),
    AVX512BW(7, 0, Word.EBX, 30),
    AVX512VL(7, 0, Word.EBX, 31),
    AVX512_VBMI(7, 0, Word.ECX, 1),
    AVX512_VNNI(7, 0, Word.ECX, 11),
    AMX_BF16(7, 0, Word.EDX, 22),
    AMX_TILE(7, 0, Word.EDX, 24),
    AMX_INT8(7, 0, Word.EDX, 25),
    AVX_VNNI(7, 1, Word.EAX, 4),
    AVX512_BF16(7, 1, Word.EAX, 5);

    /** The registers that CPUID leaves its answer in, in the order in which they are stored. */
    enum Word {
        EAX(0),
        EBX(1),
        ECX(2),
        EDX(3);

        final int index;

        Word(int index) {
            this.index = index;
        }
    }

    final int leaf;
    final int subleaf;
    final Word word;
    final int bit;

    Feature(int leaf, int subleaf, Word word, int bit) {
        this.leaf = leaf;
        this.subleaf = subleaf;
        this.word = word;
        this.bit = bit;
    }

    /** Whether it needs the system to save registers of 512 bits and masks. */
    boolean isAvx512() {
        return name().startsWith("AVX512");
    }

    boolean isAmx() {
        return name().startsWith("AMX");
    }
}
