package dev.stowage.cpu.machine;

import static dev.stowage.cpu.machine.Address.at;

import dev.stowage.cpu.machine.Feature.Word;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What this processor has, as CPUID says, less what the system does not keep when it switches threads, as XGETBV says. Both
 * are asked through code that is written for it.
 */
public final class Features {

    /** What code for floats in registers of 256 bits uses. */
    public static final Set<Feature> OF_256_BITS = Set.of(Feature.AVX2, Feature.F16C, Feature.FMA);

    /** What code for floats in registers of 512 bits uses. */
    public static final Set<Feature> OF_512_BITS =
            with(OF_256_BITS, Feature.AVX512F, Feature.AVX512DQ, Feature.AVX512BW, Feature.AVX512VL);

    private static final long AVX_STATE = 0x6;
    private static final long AVX512_STATE = 0xE6;
    private static final long AMX_STATE = 0x60000;

    private static final int HIGHEST_LEAF = 0;
    private static final int FEATURES_LEAF = 7;

    private Features() {}

    /** Some features and others. */
    public static Set<Feature> with(Set<Feature> some, Feature... others) {
        return Stream.concat(some.stream(), Arrays.stream(others)).collect(Collectors.toUnmodifiableSet());
    }

    /**
     * The features that can be used, without AMX.
     *
     * @throws UnsupportedOperationException if no machine code can be run here
     */
    public static Set<Feature> ofThisProcessor() {
        return withoutAmx(known());
    }

    /**
     * The features that can be used, with AMX where the processor has it and the system grants it to this process, for as long as
     * it lives.
     *
     * @throws UnsupportedOperationException if no machine code can be run here
     */
    public static Set<Feature> includingAmx() {
        Set<Feature> known = known();
        boolean hasAmx = known.stream().anyMatch(Feature::isAmx);
        return hasAmx && MatrixPermission.request() ? known : withoutAmx(known);
    }

    private static Set<Feature> withoutAmx(Set<Feature> features) {
        return features.stream().filter(feature -> !feature.isAmx()).collect(Collectors.toUnmodifiableSet());
    }

    private static Set<Feature> known() {
        try (MachineCode question = MachineCode.of(question());
                Arena arena = Arena.ofConfined()) {
            MemorySegment answer = arena.allocate(ValueLayout.JAVA_INT, Word.values().length);
            Set<Feature> found = EnumSet.noneOf(Feature.class);
            boolean hasFeatures = ask(question, answer, HIGHEST_LEAF, 0, Word.EAX) >= FEATURES_LEAF;
            int subleaves = hasFeatures ? ask(question, answer, FEATURES_LEAF, 0, Word.EAX) : -1;
            for (Feature feature : Feature.values()) {
                boolean isKnown = feature.leaf < FEATURES_LEAF || feature.subleaf <= subleaves;
                if (isKnown
                        && (ask(question, answer, feature.leaf, feature.subleaf, feature.word) >>> feature.bit & 1)
                                == 1) {
                    found.add(feature);
                }
            }
            removeUnsaved(found);
            return found;
        }
    }

    private static void removeUnsaved(Set<Feature> found) {
        long saved = found.contains(Feature.OSXSAVE) ? savedState() : 0;
        found.removeIf(feature -> feature.isAmx()
                ? (saved & AMX_STATE) != AMX_STATE
                : feature.isAvx512() ? (saved & AVX512_STATE) != AVX512_STATE : (saved & AVX_STATE) != AVX_STATE);
    }

    private static int ask(MachineCode question, MemorySegment answer, int leaf, int subleaf, Word word) {
        question.call(leaf, subleaf, answer.address(), 0, 0, 0);
        return answer.getAtIndex(ValueLayout.JAVA_INT, word.index);
    }

    /** Asks CPUID for leaf RDI and subleaf RSI, and stores four words at RDX. */
    private static Assembler question() {
        Assembler code = new Assembler();
        code.push(Gp.RBX);
        code.mov(Gp.R8, Gp.RDX);
        code.mov(Gp.RAX, Gp.RDI);
        code.mov(Gp.RCX, Gp.RSI);
        code.cpuid();
        // Stores of 64 bits, whose upper half the next one overwrites: the upper halves of the answers are 0.
        code.mov(at(Gp.R8), Gp.RAX);
        code.shl(Gp.RDX, 32);
        code.or(Gp.RCX, Gp.RDX);
        code.mov(at(Gp.R8, 4), Gp.RBX);
        code.mov(at(Gp.R8, 8), Gp.RCX);
        code.pop(Gp.RBX);
        code.ret();
        return code;
    }

    private static long savedState() {
        Assembler code = new Assembler();
        code.mov(Gp.RCX, 0);
        code.xgetbv();
        code.shl(Gp.RDX, 32);
        code.or(Gp.RAX, Gp.RDX);
        code.ret();
        try (MachineCode question = MachineCode.of(code)) {
            return question.call(0, 0, 0, 0, 0, 0);
        }
    }
}
