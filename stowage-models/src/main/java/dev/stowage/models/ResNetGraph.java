package dev.stowage.models;

import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.PoolKind;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.Window;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The graph of a residual network for a number of images. Each convolution lays the elements under its kernel out in
 * rows and multiplies; what a folded batch norm leaves is added to it.
 *
 * <pre>
 *   image ─► 7x7, /2 ─► max pool, /2 ─► [ 1x1 ─► 3x3 ─► 1x1 ─► + ] ─► mean ─► output ─► logits
 *                                         └──────── (1x1) ────────┘
 * </pre>
 *
 * Where a stage halves the image, the 3x3 convolution of its first block does, and one of 1x1 brings the shortcut into
 * the same shape. Weights are named as in torchvision. Its layers are the blocks; what comes before the first belongs to it.
 */
public final class ResNetGraph {

    private final ResNetShape shape;
    private final ResNetOptions options;
    private final GraphBuilder weights = new GraphBuilder();
    private final GraphBuilder ops = new GraphBuilder();
    private final LayerRecorder recorder = new LayerRecorder(ops, 0);
    private final Map<Tensor, Integer> parts = new HashMap<>();

    private ResNetGraph(ResNetShape shape, ResNetOptions options) {
        this.shape = shape;
        this.options = options;
    }

    /**
     * Weights and graph of that model, run in that way, with weights in memory that only measures; it has no cache.
     *
     * @throws dev.stowage.error.InvalidTensorException if a tensor would have more bytes than a long can count
     */
    public static ModelGraph of(ResNetShape shape, ResNetOptions options) {
        return withoutMemory(shape, options).inMeasuredMemory();
    }

    /**
     * Weights and graph of that model, run in that way, none of them placed; it has no cache.
     *
     * @throws dev.stowage.error.InvalidTensorException if a tensor would have more bytes than a long can count
     */
    public static ModelGraph withoutMemory(ResNetShape shape, ResNetOptions options) {
        ResNetGraph network = new ResNetGraph(shape, options);
        Graph graph = network.build();
        LayerMap layers = network.recorder.map(shape.blockCount(), network.parts, Map.of());
        return new ModelGraph(shape, network.weights.tensors(), List.of(), graph, layers);
    }

    private Graph build() {
        Tensor x = ops.input(
                "image",
                ElementType.F32,
                shape.imageSize(),
                shape.imageSize(),
                ResNetShape.IMAGE_CHANNELS,
                options.batch());
        x = relu(convolution(x, "conv1", ResNetShape.STEM_KERNEL, 2, shape.channels()), "conv1");
        x = ops.pool2d(x, PoolKind.MAX, 3, 3, 2, 2, 1, 1).named("maxpool");
        int layer = 0;
        for (int stage = 0; stage < shape.blocks().size(); stage++) {
            for (int block = 0; block < shape.blocks().get(stage); block++) {
                recorder.enter(layer++);
                x = block(x, stage, block);
            }
        }
        recorder.enter(layer);
        return ops.build(classified(x));
    }

    private Tensor block(Tensor x, int stage, int block) {
        String name = "layer" + (stage + 1) + "." + block;
        long middle = shape.middleChannels(stage);
        long outside = middle * ResNetShape.EXPANSION;
        int stride = stage > 0 && block == 0 ? 2 : 1;
        Tensor y = relu(convolution(x, name + ".conv1", 1, 1, middle), name + ".conv1");
        y = relu(convolution(y, name + ".conv2", 3, stride, middle), name + ".conv2");
        y = convolution(y, name + ".conv3", 1, 1, outside);
        Tensor shortcut = block == 0 ? convolution(x, name + ".downsample", 1, stride, outside) : x;
        return relu(ops.add(y, shortcut).named(name + ".sum"), name);
    }

    /** A square kernel that sees as much beyond the edges as it takes to keep the image's size but for the stride. */
    private Tensor convolution(Tensor x, String name, int size, int stride, long kernels) {
        ElementType type = WeightTypes.forRows(options.weightType(), size);
        Tensor kernel = weight(name + ".weight", type, size, size, x.dim(2), kernels);
        Tensor bias = weight(name + ".bias", ElementType.F32, 1, 1, kernels);
        Window window = Window.of(stride, size / 2);
        Tensor convolved = ops.conv2d(kernel, x, window, window).named(name);
        return ops.add(convolved, bias).named(name + ".biased");
    }

    /** A weight of the block that is being built, or of the output. */
    private Tensor weight(String name, ElementType type, long... dimensions) {
        Tensor weight = weights.weight(name, type, dimensions);
        parts.put(weight, recorder.part());
        return weight;
    }

    private Tensor relu(Tensor x, String name) {
        return ops.relu(x).named(name + ".relu");
    }

    private Tensor classified(Tensor x) {
        Tensor means = ops.pool2d(x, PoolKind.AVG, (int) x.dim(0), (int) x.dim(1), (int) x.dim(0), (int) x.dim(1), 0, 0)
                .named("avgpool");
        Tensor rows = ops.reshape(means, x.dim(2), x.dim(3));
        ElementType type = WeightTypes.forRows(options.weightType(), x.dim(2));
        Tensor matrix = weight("fc.weight", type, x.dim(2), shape.classes());
        Tensor bias = weight("fc.bias", ElementType.F32, shape.classes());
        Tensor logits = ops.add(ops.mulMat(matrix, rows).named("fc"), bias);
        return logits.named("logits").asOutput();
    }
}
