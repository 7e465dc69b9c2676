package dev.stowage.testkit.golden;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * A case by hand: an input is normed on the device that stores it, the processor, and multiplied by a weight of an
 * accelerator, which needs a copy of it. The trace follows from the rules: the accelerator has no events and nothing is
 * copied asynchronously with the processor, so that both are waited for and the host copies.
 */
final class SchedSample {

    static final String CASE = """
        {"case": "by hand", "parallel": false, "op_offload": true,
         "devices": [
           {"name": "GPU0", "type": "gpu",
            "buffer_type": {"name": "G", "alignment": 64, "max_size": null, "size_multiple": 1, "host": false},
            "async_copy": true, "events": false, "supports_ops": ["MUL_MAT"], "offload_ops": ["MUL_MAT"],
            "supports_buffer_types": ["G"]},
           {"name": "CPU", "type": "cpu",
            "buffer_type": {"name": "C", "alignment": 32, "max_size": null, "size_multiple": 1, "host": true},
            "async_copy": false, "events": false, "supports_ops": "all", "offload_ops": [],
            "supports_buffer_types": ["C"]}],
         "tensors": [
           {"id": 5, "name": "x", "type": "f32", "op": "NONE", "ne": [8,4,1,1], "nb": [4,32,128,128],
            "nbytes": 128, "input": true},
           {"id": 6, "name": "w", "type": "f32", "op": "NONE", "ne": [8,2,1,1], "nb": [4,32,64,64],
            "nbytes": 64, "buffer": {"type": "G", "usage": "weights"}},
           {"id": 7, "name": "n", "type": "f32", "op": "NORM", "ne": [8,4,1,1], "nb": [4,32,128,128],
            "nbytes": 128, "src": [5]},
           {"id": 8, "name": "y", "type": "f32", "op": "MUL_MAT", "ne": [2,4,1,1], "nb": [4,8,32,32],
            "nbytes": 32, "src": [6, 7]}],
         "nodes": [7,8], "leafs": [5,6], "user_assignments": {"7": 1},
         "expect": {"node_backends": [1,0], "leaf_backends": [1,0], "n_splits": 2, "n_copies": 1,
                    "buffer_sizes": [192,256],
                    "trace": [["compute","CPU",[7]], ["sync","GPU0"], ["sync","CPU"], ["sync","GPU0"],
                              ["set","GPU0#n#0"], ["compute","GPU0",[8]]]}}
        """;

    private SchedSample() {}

    /** Reads the only case of a text. */
    static SchedCase read(Path folder, String text) throws IOException {
        Path file = Files.writeString(folder.resolve("cases.jsonl"), text.replace("\n", " "));
        try (Stream<SchedCase> cases = GoldenFile.of(file).schedCases()) {
            return cases.findFirst().orElseThrow();
        }
    }
}
