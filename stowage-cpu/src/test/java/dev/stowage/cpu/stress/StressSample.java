package dev.stowage.cpu.stress;

import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.Random;

/**
 * A graph whose results are known: small whole numbers go in, so that every device gives the same bits. All threads share
 * it; the weight, where it has one, has memory that any of them may close.
 */
final class StressSample {

    private final int width;
    private final Graph graph;
    private final Tensor x;
    private final Tensor matrix;
    private final Tensor result;

    private StressSample(int width, Graph graph, Tensor x, Tensor matrix, Tensor result) {
        this.width = width;
        this.graph = graph;
        this.x = x;
        this.matrix = matrix;
        this.result = result;
    }

    /** Multiplies a square matrix, which is a weight or an input, with a vector, and works on the result. */
    static StressSample of(int width, int depth, boolean weight) {
        GraphBuilder b = new GraphBuilder();
        Tensor x = b.input("x", ElementType.F32, width);
        Tensor matrix =
                weight ? b.weight("m", ElementType.F32, width, width) : b.input("m", ElementType.F32, width, width);
        Tensor product = b.mulMat(matrix, x);
        Tensor next = b.add(product, x);
        for (int i = 0; i < depth; i++) {
            next = b.add(b.scale(next, 2), b.reshape(product, width));
        }
        Tensor result = next.named("y").asOutput();
        return new StressSample(width, b.build(result), x, matrix, result);
    }

    Graph graph() {
        return graph;
    }

    Tensor x() {
        return x;
    }

    Tensor matrix() {
        return matrix;
    }

    Tensor result() {
        return result;
    }

    boolean hasWeight() {
        return graph.isWeight(graph.idOf(matrix));
    }

    float[] vector(Random random) {
        return numbers(random, width);
    }

    float[] matrix(Random random) {
        return numbers(random, width * width);
    }

    private static float[] numbers(Random random, int count) {
        float[] numbers = new float[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = random.nextInt(-3, 4);
        }
        return numbers;
    }

    /** What the graph computes from these. */
    float[] expected(float[] matrixValues, float[] vector) {
        float[] y = new float[width];
        int depth = (graph.nodeCount() - 2) / 3;
        for (int row = 0; row < width; row++) {
            float product = 0;
            for (int column = 0; column < width; column++) {
                product += matrixValues[row * width + column] * vector[column];
            }
            float next = product + vector[row];
            for (int i = 0; i < depth; i++) {
                next = next * 2 + product;
            }
            y[row] = next;
        }
        return y;
    }
}
