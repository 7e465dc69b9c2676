package dev.stowage.testkit.golden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.stowage.device.DeviceType;
import dev.stowage.error.MalformedDataException;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.golden.SchedCase.GoldenDevice;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SchedCaseTest {

    @TempDir
    private Path folder;

    private SchedCase read;

    @BeforeEach
    void readCase() throws IOException {
        read = SchedSample.read(folder, SchedSample.CASE);
    }

    @Test
    void keepsTheOrderOfNodesAndLeaves() {
        assertThat(read.graph().nodes()).extracting(Tensor::name).containsExactly("n", "y");
        assertThat(read.graph().leaves()).extracting(Tensor::name).containsExactly("x", "w");
    }

    @Test
    void readsTheDevicesInOrder() {
        assertThat(read.devices()).extracting(GoldenDevice::name).containsExactly("GPU0", "CPU");
        assertThat(read.devices()).extracting(GoldenDevice::type).containsExactly(DeviceType.GPU, DeviceType.CPU);
        assertThat(read.devices()).extracting(GoldenDevice::copiesAsync).containsExactly(true, false);
        assertThat(read.devices()).extracting(GoldenDevice::hasEvents).containsOnly(false);
    }

    @Test
    void readsWhatEachDeviceCanDo() {
        GoldenDevice gpu = read.devices().getFirst();
        GoldenDevice cpu = read.devices().getLast();
        assertThat(gpu.supportedOps()).isEqualTo(Optional.of(Set.of(Op.MUL_MAT)));
        assertThat(gpu.offloadedOps()).containsExactly(Op.MUL_MAT);
        assertThat(gpu.readable()).containsExactly("G");
        assertThat(cpu.supportedOps()).isEmpty();
        assertThat(cpu.offloadedOps()).isEmpty();
        assertThat(cpu.bufferType().alignment()).isEqualTo(32);
        assertThat(cpu.bufferType().isHost()).isTrue();
    }

    @Test
    void readsWhereWeightsLie() {
        assertThat(read.tensors().bufferType(6)).contains("G");
        assertThat(read.tensors().bufferType(5)).isEmpty();
    }

    @Test
    void readsHowItWasScheduled() {
        assertThat(read.isPipelined()).isFalse();
        assertThat(read.offloadsOps()).isTrue();
        assertThat(read.assignments()).hasSize(1).containsEntry(7, 1);
    }

    @Test
    void readsWhatGgmlDid() {
        assertThat(read.expected().nodeDevices()).containsExactly(1, 0);
        assertThat(read.expected().leafDevices()).containsExactly(1, 0);
        assertThat(read.expected().splits()).isEqualTo(2);
        assertThat(read.expected().copies()).isEqualTo(1);
        assertThat(read.expected().bufferSizes()).containsExactly(192L, 256L);
        assertThat(read.expected().trace())
                .containsExactly(
                        "compute(CPU,[7])",
                        "sync(GPU0)",
                        "sync(CPU)",
                        "sync(GPU0)",
                        "set(GPU0#n#0)",
                        "compute(GPU0,[8])");
    }

    /** A part of the good case, what stands there instead, and what is said about it. */
    static Stream<Arguments> broken() {
        return Stream.of(
                arguments(
                        "\"case\": \"by hand\",",
                        "",
                        "case without a name: (document): the member \"case\" is missing"),
                arguments("\"parallel\": false,", "", "the member \"parallel\" is missing"),
                arguments("\"op_offload\": true", "\"op_offload\": 1", "op_offload: expected true or false"),
                arguments(
                        "\"type\": \"gpu\"", "\"type\": \"tpu\"", "devices[0].type: there is no type of device 'tpu'"),
                arguments(
                        "[\"MUL_MAT\"], \"offload", "[\"MULL\"], \"offload", "supports_ops[0]: there is no op 'MULL'"),
                arguments("\"offload_ops\": [],", "", "devices[1]: the member \"offload_ops\" is missing"),
                arguments("\"alignment\": 64", "\"alignment\": 63", "devices[0].buffer_type: "),
                arguments(
                        "\"buffer\": {\"type\": \"G\"",
                        "\"buffer\": {\"type\": \"H\"",
                        "devices: no device has the buffer type 'H'"),
                arguments("{\"7\": 1}", "{\"9\": 1}", "user_assignments.9: there is no tensor 9"),
                arguments("{\"7\": 1}", "{\"7\": 2}", "user_assignments.7: expected a whole number from 0 to 1"),
                arguments("\"node_backends\": [1,0]", "\"node_backends\": [1]", "expected 2 numbers, found 1"),
                arguments("\"leaf_backends\": [1,0]", "\"leaf_backends\": [1,2]", "expect.leaf_backends[1]: expected"),
                arguments("\"n_splits\": 2,", "", "expect: the member \"n_splits\" is missing"),
                arguments("[192,256]", "[192]", "expect.buffer_sizes: expected 2 numbers, found 1"),
                arguments("[\"sync\",\"CPU\"]", "[]", "expect.trace[2]: a call needs a name"),
                arguments("[\"sync\",\"CPU\"]", "[\"sync\",1.5]", "expect.trace[2][1]: expected"));
    }

    @ParameterizedTest
    @MethodSource("broken")
    void saysWhatIsWrongAndWhere(String part, String replacement, String complaint) {
        assertThat(SchedSample.CASE).containsOnlyOnce(part);
        String broken = SchedSample.CASE.replace(part, replacement);
        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> SchedSample.read(folder, broken))
                .withMessageContaining("cases.jsonl, line 1, case ")
                .withMessageContaining(complaint);
    }
}
