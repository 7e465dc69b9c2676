package dev.stowage.testkit.golden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferType;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.GluFunction;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Strides;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.UnaryFunction;
import dev.stowage.testkit.golden.AllocExpectation.ExpectedPlacement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AllocCaseTest {

    private static final String CASE = """
        {"case": "by hand",
         "buffer_types": [
           {"name": "A", "alignment": 32, "max_size": 4096, "size_multiple": 512, "host": true},
           {"name": "B", "alignment": 64, "max_size": null, "size_multiple": 1, "host": false},
           {"name": "A", "alignment": 32, "max_size": 4096, "size_multiple": 512, "host": true}],
         "tensors": [
           {"id": 7, "name": "w", "type": "q8_0", "op": "NONE", "ne": [64,2,1,1], "nb": [34,68,136,136],
            "nbytes": 136, "preallocated": true},
           {"id": 3, "name": "x", "type": "f32", "op": "NONE", "ne": [8,4,1,1], "nb": [4,32,128,128],
            "nbytes": 128, "input": true},
           {"id": 4, "name": "xt", "type": "f32", "op": "VIEW", "ne": [4,2,1,1], "nb": [32,4,128,128],
            "nbytes": 104, "src": [3], "view_src": 3, "view_offs": 8},
           {"id": 5, "name": "r", "type": "f32", "op": "UNARY", "unary": "RELU", "ne": [8,4,1,1],
            "nb": [4,32,128,128], "nbytes": 128, "src": [3, null, 7]},
           {"id": 9, "name": "g", "type": "f32", "op": "GLU", "glu": "SWIGLU", "ne": [4,4,1,1],
            "nb": [4,16,64,64], "nbytes": 64, "src": [5], "output": true}],
         "nodes": [4,5,9], "leafs": [3,7], "node_buffers": [0,1,2], "leaf_buffers": [1,0],
         "expect": {"buffer_sizes": [512,64,0], "chunks": [[512],[64],[512]],
                    "placement": {"9": [2,0,0], "3": [1,0,5000000000]}}}
        """;

    @TempDir
    private Path folder;

    private AllocCase read;

    @BeforeEach
    void readCase() throws IOException {
        Path file = Files.writeString(folder.resolve("case.jsonl"), CASE.replace("\n", " "));
        try (Stream<AllocCase> cases = GoldenFile.of(file).allocCases()) {
            read = cases.toList().getFirst();
        }
    }

    @Test
    void keepsTheOrderOfNodesAndLeaves() {
        assertThat(read.graph().nodes()).extracting(Tensor::name).containsExactly("xt", "r", "g");
        assertThat(read.graph().leaves()).extracting(Tensor::name).containsExactly("x", "w");
    }

    @Test
    void keepsTheIdsOfTheFile() {
        Graph graph = read.graph();
        assertThat(read.tensors().fileIds()).containsExactly(7, 3, 4, 5, 9);
        for (int fileId : read.tensors().fileIds()) {
            assertThat(read.tensors().fileId(graph.idOf(read.tensors().tensor(fileId))))
                    .isEqualTo(fileId);
        }
        assertThat(read.tensors().describe(5)).isEqualTo("tensor 5 'r' (UNARY f32[8, 4])");
    }

    @Test
    void rebuildsLayouts() {
        Tensor view = read.tensors().tensor(4);
        assertThat(view.strides()).isEqualTo(new Strides(32, 4, 128, 128));
        assertThat(view.byteSize()).isEqualTo(104);
        assertThat(read.tensors().tensor(7).type()).isEqualTo(ElementType.Q8_0);
    }

    @Test
    void rebuildsViews() {
        Tensor view = read.tensors().tensor(4);
        assertThat(view.viewSource()).isSameAs(read.tensors().tensor(3));
        assertThat(view.viewOffset()).isEqualTo(8);
    }

    @Test
    void rebuildsSourcesWithTheirGaps() {
        Tensor relu = read.tensors().tensor(5);
        assertThat(relu.sourceCount()).isEqualTo(3);
        assertThat(relu.source(0)).isSameAs(read.tensors().tensor(3));
        assertThat(relu.hasSource(1)).isFalse();
        assertThat(relu.source(2)).isSameAs(read.tensors().tensor(7));
    }

    @Test
    void rebuildsOpsAndTheirFunctions() {
        assertThat(read.graph().nodes()).extracting(Tensor::op).containsExactly(Op.VIEW, Op.UNARY, Op.GLU);
        assertThat(read.tensors().tensor(5).parameters()).isEqualTo(new OpParameters.Unary(UnaryFunction.RELU));
        assertThat(read.tensors().tensor(9).parameters()).isEqualTo(new OpParameters.Glu(GluFunction.SWIGLU, false));
    }

    @Test
    void marksInputsOutputsAndWhatHasMemoryAlready() {
        assertThat(read.tensors().fileIds())
                .filteredOn(id -> read.tensors().tensor(id).isInput())
                .containsExactly(3);
        assertThat(read.tensors().fileIds())
                .filteredOn(id -> read.tensors().tensor(id).isOutput())
                .containsExactly(9);
        assertThat(read.tensors().fileIds())
                .filteredOn(id -> read.tensors().tensor(id).isWeight())
                .containsExactly(7);
        assertThat(read.graph().isWeight(read.graph().idOf(read.tensors().tensor(7))))
                .isTrue();
    }

    @Test
    void makesBufferTypesWithTheirRules() {
        assertThat(read.bufferTypes()).extracting(BufferType::name).containsExactly("A", "B", "A");
        assertThat(read.bufferTypes()).extracting(BufferType::alignment).containsExactly(32L, 64L, 32L);
        assertThat(read.bufferTypes()).extracting(BufferType::isHost).containsExactly(true, false, true);
        assertThat(read.bufferTypes())
                .extracting(BufferType::maxBufferSize)
                .containsExactly(4096L, Long.MAX_VALUE, 4096L);
        assertThat(read.bufferTypes())
                .extracting(type -> type.allocationSize(read.tensors().tensor(3)))
                .containsExactly(512L, 128L, 512L);
    }

    @Test
    void takesTheSameNameForTheSameBufferType() {
        assertThat(read.bufferTypes().get(2)).isSameAs(read.bufferTypes().get(0));
    }

    @Test
    void readsWhichBufferEachTensorBelongsTo() {
        assertThat(read.nodeBuffers()).containsExactly(0, 1, 2);
        assertThat(read.leafBuffers()).containsExactly(1, 0);
    }

    @Test
    void readsWhatGgmlDid() {
        assertThat(read.expected().bufferSizes()).containsExactly(512L, 64L, 0L);
        assertThat(read.expected().chunks()).containsExactly(List.of(512L), List.of(64L), List.of(512L));
        assertThat(read.expected().placements())
                .hasSize(2)
                .containsEntry(9, new ExpectedPlacement(2, 0, 0))
                .containsEntry(3, new ExpectedPlacement(1, 0, 5_000_000_000L));
    }
}
