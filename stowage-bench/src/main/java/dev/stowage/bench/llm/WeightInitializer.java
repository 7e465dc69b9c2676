package dev.stowage.bench.llm;

import dev.stowage.bench.llm.ModelRecipe.Rope;
import java.util.SplittableRandom;

/** What a tensor is filled with, some elements at a time. */
@FunctionalInterface
interface WeightInitializer {

    /**
     * Fills the first elements of an array.
     *
     * @param target takes the numbers
     * @param count how many
     * @param first which element of the tensor the first of them is
     * @param random for this stretch of this tensor alone
     */
    void fill(float[] target, int count, long first, SplittableRandom random);

    /** Numbers around a mean. */
    static WeightInitializer normal(double mean, double deviation) {
        return (target, count, _, random) -> {
            for (int i = 0; i < count; i++) {
                target[i] = (float) (mean + deviation * random.nextGaussian());
            }
        };
    }

    /** Numbers that keep what they are multiplied with and added up over as large as it is. */
    static WeightInitializer matrix(int columns) {
        return normal(0, 1 / Math.sqrt(columns));
    }

    /** Numbers that rise in equal steps of a sixteenth of the distance between two numbers, and stay at the second. */
    static WeightInitializer rising(double from, double to) {
        return (target, count, first, _) -> {
            for (int i = 0; i < count; i++) {
                target[i] = (float) (from + (to - from) * Math.min(1, (first + i) / 16.0));
            }
        };
    }

    /**
     * What Llama 3 divides its frequencies by to see eight times as far: nothing is done to those that rotate more than
     * four times within the context, slow ones are divided by 8, and those in between by something in between.
     */
    static WeightInitializer frequencyFactors(Rope rope, int headSize, int context) {
        double stretch = 8;
        double fast = 4;
        return (target, count, first, _) -> {
            for (int i = 0; i < count; i++) {
                double wavelength = 2 * Math.PI * Math.pow(rope.base(), 2.0 * (first + i) / headSize);
                double rotations = context / wavelength;
                double smooth = Math.clamp((rotations - 1) / (fast - 1), 0, 1);
                target[i] = (float) (1 / ((1 - smooth) / stretch + smooth));
            }
        };
    }
}
