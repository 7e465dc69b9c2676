package dev.stowage.testkit.op;

import static dev.stowage.tensor.ElementType.F16;
import static dev.stowage.tensor.ElementType.F32;

import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;

/** Elements that come from a formula. */
final class GeneratorCases {

    private GeneratorCases() {}

    static void addTo(CaseList cases) {
        float[][] ranges = {{0, 10, 1}, {0, 1, 1}, {-3, 2, 0.5f}, {1, 34, 0.25f}};
        for (float[] range : ranges) {
            cases.add(Op.ARANGE, o -> arange(o, range[0], range[1], range[2]));
        }
        cases.random(Op.ARANGE, o -> {
            float start = o.between(-40, 40) / 4f;
            float step = o.between(1, 8) / 4f;
            return arange(o, start, start + step * o.size(70), step);
        });
        for (int dimensions : new int[] {2, 32, 15, 320}) {
            cases.add(Op.TIMESTEP_EMBEDDING, o -> timesteps(o, 3, dimensions, 10000));
        }
        cases.add(Op.TIMESTEP_EMBEDDING, o -> timesteps(o, 1, 8, 100));
        cases.random(Op.TIMESTEP_EMBEDDING, o -> timesteps(o, o.size(9), 2 * o.size(70), o.oneOf(100, 1000, 10000)));
        for (float value : new float[] {0, -1.5f, Float.NEGATIVE_INFINITY}) {
            cases.add(Op.FILL, o -> o.exact().note("with " + value).b().fill(o.f32(33, 3), value));
            cases.add(Op.FILL, o -> o.exact().note("with " + value).b().fill(o.of(F16, 7, 4, 3, 2), value));
        }
        cases.add(Op.FILL, o -> o.exact().note("with 2").b().fillInplace(o.f32(33, 3), 2));
        cases.add(Op.FILL, o -> o.exact().note("with 2").b().fill(o.f32(0), 2));
        cases.random(Op.FILL, o -> {
            Tensor a = o.of(o.oneOf(F32, F16), o.size(130), o.size(9), o.between(1, 3));
            float value = o.between(-100, 100) / 4f;
            o.exact().note("with " + value);
            return o.coin() ? o.b().fill(a, value) : o.b().fillInplace(a, value);
        });
    }

    private static Tensor arange(Operands o, float start, float stop, float step) {
        return o.note("from " + start + " to " + stop + " by " + step).b().arange(start, stop, step);
    }

    private static Tensor timesteps(Operands o, int count, int dimensions, int maxPeriod) {
        return o.note(dimensions + " dimensions, period " + maxPeriod)
                .b()
                .timestepEmbedding(o.filled(Fill.uniform(0, 100), F32, count), dimensions, maxPeriod);
    }
}
