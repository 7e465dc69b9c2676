package dev.stowage.testkit.golden;

import dev.stowage.error.InvalidGraphException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.graph.Graph;
import dev.stowage.internal.json.JsonCursor;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The graph of a case, and which of its tensors is which in the file. The file numbers its tensors in its own way, and
 * what it expects goes by those numbers, so both ways of naming a tensor are kept.
 *
 * <p>Tensors that the file gives memory beforehand are weights of the graph.
 */
public final class GoldenGraph {

    private final Graph graph;
    private final Map<Integer, Tensor> tensors;
    private final Map<Integer, String> bufferTypes;
    private final int[] fileIds;

    private GoldenGraph(Graph graph, Map<Integer, Tensor> tensors, Map<Integer, String> bufferTypes) {
        this.graph = graph;
        this.tensors = tensors;
        this.bufferTypes = bufferTypes;
        this.fileIds = new int[graph.size()];
        tensors.forEach((fileId, tensor) -> {
            if (graph.contains(tensor)) {
                fileIds[graph.idOf(tensor)] = fileId;
            }
        });
    }

    /** Reads {@code tensors}, {@code nodes} and {@code leafs} of a case. */
    static GoldenGraph read(JsonCursor document) {
        TensorReader reader = new TensorReader();
        Map<Integer, String> bufferTypes = new LinkedHashMap<>();
        for (JsonCursor tensor : document.get("tensors").elements()) {
            int fileId = reader.read(tensor);
            tensor.find("buffer")
                    .ifPresent(
                            place -> bufferTypes.put(fileId, place.get("type").asString()));
        }
        List<Tensor> nodes = listed(reader, document.get("nodes"));
        List<Tensor> leaves = listed(reader, document.get("leafs"));
        try {
            return new GoldenGraph(Graph.listed(nodes, leaves), reader.tensors(), bufferTypes);
        } catch (InvalidGraphException e) {
            throw document.get("nodes").malformed(e);
        }
    }

    private static List<Tensor> listed(TensorReader reader, JsonCursor ids) {
        List<Tensor> listed = new ArrayList<>();
        for (JsonCursor id : ids.elements()) {
            listed.add(reader.known(id));
        }
        return listed;
    }

    public Graph graph() {
        return graph;
    }

    /** The ids of the file, in its order. */
    public List<Integer> fileIds() {
        return List.copyOf(tensors.keySet());
    }

    /** Whether there is a tensor with that id in the file. */
    public boolean has(int fileId) {
        return tensors.containsKey(fileId);
    }

    /** The id in the file that a name in {@code place} stands for. */
    int fileId(JsonCursor place, String key) {
        try {
            int id = Integer.parseInt(key);
            if (has(id)) {
                return id;
            }
        } catch (NumberFormatException _) {
            // answered below: a key that is not a number is not the id of a tensor
        }
        throw place.malformed("there is no tensor " + key + " in the file");
    }

    /** The id in the file of the tensor with that id in the graph. */
    public int fileId(int graphId) {
        return fileIds[graphId];
    }

    /**
     * The tensor with that id in the file.
     *
     * @throws MalformedDataException if there is none
     */
    public Tensor tensor(int fileId) {
        Tensor tensor = tensors.get(fileId);
        if (tensor == null) {
            throw new MalformedDataException("there is no tensor " + fileId + " in the file");
        }
        return tensor;
    }

    /** The name of the buffer type that stores that tensor beforehand, as the file says. */
    public Optional<String> bufferType(int fileId) {
        return Optional.ofNullable(bufferTypes.get(fileId));
    }

    /** That tensor with its id in the file, for messages. */
    public String describe(int fileId) {
        return "tensor " + fileId + " " + tensor(fileId).describe();
    }
}
