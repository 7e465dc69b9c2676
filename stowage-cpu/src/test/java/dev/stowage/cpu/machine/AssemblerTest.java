package dev.stowage.cpu.machine;

import static dev.stowage.cpu.machine.Address.at;
import static dev.stowage.cpu.machine.Address.broadcast;
import static dev.stowage.cpu.machine.Gp.RAX;
import static dev.stowage.cpu.machine.Gp.RDI;
import static dev.stowage.cpu.machine.Gp.RDX;
import static dev.stowage.cpu.machine.Gp.RSI;
import static dev.stowage.cpu.machine.Tmm.tmm;
import static dev.stowage.cpu.machine.Xmm.xmm;
import static dev.stowage.cpu.machine.Ymm.ymm;
import static dev.stowage.cpu.machine.Zmm.zmm;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Code is written, made executable, called and freed. */
class AssemblerTest {

    @BeforeEach
    void machineCodeRunsHere() {
        assumeThat(Platform.objection()).isEqualTo(Optional.empty());
    }

    @Test
    void aLoopAddsUpWhatItIsGiven() {
        assumeThat(Features.ofThisProcessor()).contains(Feature.AVX512F);
        Assembler code = new Assembler();
        Label next = new Label();
        code.vpxord(zmm(0), zmm(0), zmm(0));
        code.bind(next);
        code.vaddps(zmm(0), zmm(0), at(RDI));
        code.add(RDI, 64);
        code.dec(RSI);
        code.jnz(next);
        code.vmulps(zmm(0), zmm(0), broadcast(RDX, 4));
        code.vmovups(at(RDX), zmm(0));
        code.mov(RAX, 17);
        code.vzeroupper();
        code.ret();

        try (MachineCode sum = MachineCode.of(code);
                Arena arena = Arena.ofConfined()) {
            MemorySegment numbers = arena.allocate(ValueLayout.JAVA_FLOAT, 16 * 5);
            MemorySegment result = arena.allocate(ValueLayout.JAVA_FLOAT, 16);
            for (int i = 0; i < 16 * 5; i++) {
                numbers.setAtIndex(ValueLayout.JAVA_FLOAT, i, i);
            }
            result.setAtIndex(ValueLayout.JAVA_FLOAT, 1, 2);

            assertThat(sum.call(numbers.address(), 5, result.address(), 0, 0, 0))
                    .isEqualTo(17);
            for (int lane = 0; lane < 16; lane++) {
                assertThat(result.getAtIndex(ValueLayout.JAVA_FLOAT, lane)).isEqualTo(2f * (5 * lane + 160));
            }
        }
    }

    @Test
    void jumpsGoForwardToLabelsThatAreBoundLater() {
        Assembler code = new Assembler();
        Label zero = new Label();
        code.test(RDI, RDI);
        code.jz(zero);
        code.mov(RAX, 0x123456789AL);
        code.ret();
        code.bind(zero);
        code.mov(RAX, -5);
        code.ret();

        try (MachineCode choice = MachineCode.of(code)) {
            assertThat(choice.call(0, 0, 0, 0, 0, 0)).isEqualTo(-5);
            assertThat(choice.call(1, 0, 0, 0, 0, 0)).isEqualTo(0x123456789AL);
        }
    }

    @Test
    void executableMemoryIsCountedAndFreedOnce() {
        long before = MachineCode.mappedBytes();
        Assembler code = new Assembler();
        code.ret();

        MachineCode nothing = MachineCode.of(code);
        assertThat(MachineCode.mappedBytes()).isEqualTo(before + nothing.bytes());
        nothing.close();
        nothing.close();
        assertThat(MachineCode.mappedBytes()).isEqualTo(before);
        assertThatThrownBy(() -> nothing.call(0, 0, 0, 0, 0, 0)).hasMessageContaining("closed");
    }

    @Test
    void aMaskLeavesOrClearsTheOtherLanes() {
        Assembler code = new Assembler();
        code.vaddps(zmm(1).where(Mask.K2), zmm(2), zmm(3));
        code.vaddps(zmm(1).zeroing(Mask.K2), zmm(2), zmm(3));

        assertThat(HexFormat.of().formatHex(code.toBytes())).isEqualTo("62f16c4a58cb" + "62f16cca58cb");
        assertThatThrownBy(() -> zmm(1).where(Mask.K0)).hasMessageContaining("K0");
    }

    @Test
    void whatThereIsNoEncodingForIsRefused() {
        Assembler code = new Assembler();
        assertThatThrownBy(() -> code.vpand(xmm(16), xmm(1), xmm(2))).hasMessageContaining("no encoding");
        assertThatThrownBy(() -> code.vpaddd(xmm(1), xmm(1), ymm(2))).hasMessageContaining("32 bytes");
        assertThatThrownBy(() -> code.vpaddb(zmm(1), zmm(1), broadcast(RDI, 0))).hasMessageContaining("repeat");
        assertThatThrownBy(() -> at(RDI, Gp.RSP, 1, 0)).hasMessageContaining("RSP");
        assertThatThrownBy(() -> at(RDI, RSI, 3, 0)).hasMessageContaining("3");
        assertThatThrownBy(() -> zmm(32)).hasMessageContaining("32");
        assertThatThrownBy(() -> code.tdpbssd(tmm(1), tmm(2), tmm(1))).hasMessageContaining("differ");
        assertThatThrownBy(() -> code.tileloadd(tmm(1), at(RDI))).hasMessageContaining("rows");
        assertThatThrownBy(() -> tmm(8)).hasMessageContaining("8");
        assertThat(code.size()).isZero();
    }

    /** Where the processor has no matrices, the system refuses them, and the features say so. */
    @Test
    void matricesAreAFeatureWhereTheSystemGrantsThem() {
        boolean isGranted = MatrixPermission.request();
        assertThat(Features.includingAmx().contains(Feature.AMX_TILE)).isEqualTo(isGranted);
        assertThat(Features.ofThisProcessor()).noneMatch(Feature::isAmx);
    }

    @Test
    void aJumpToNowhereIsRefused() {
        Assembler code = new Assembler();
        code.jmp(new Label());
        assertThatThrownBy(code::toBytes).hasMessageContaining("not bound");
    }
}
