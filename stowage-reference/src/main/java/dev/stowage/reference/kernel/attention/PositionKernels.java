package dev.stowage.reference.kernel.attention;

import dev.stowage.device.Step;
import dev.stowage.reference.kernel.Elements;
import dev.stowage.reference.kernel.Kernel;
import dev.stowage.reference.kernel.RestrictedKernel;
import dev.stowage.tensor.Op;
import java.util.Map;

/** How attention learns where its tokens stand: rotary positions are {@link RopeKernel}, relative ones are here. */
public final class PositionKernels {

    private PositionKernels() {}

    public static void addTo(Map<Op, Kernel> kernels) {
        kernels.put(Op.ROPE, RopeKernel.forwards());
        kernels.put(Op.ROPE_BACK, RopeKernel.backwards());
        kernels.put(Op.GET_REL_POS, PositionKernels::getRelPos);
        kernels.put(Op.ADD_REL_POS, RestrictedKernel.ofFractions(PositionKernels::addRelPos));
    }

    /** {@code result[i, key, query] = a[i, query - key + size - 1]}. */
    private static void getRelPos(Step step) {
        Elements a = Elements.of(step.operand(0));
        Elements result = Elements.of(step.result());
        long size = result.shape().d1();
        Elements.forEach(
                result.shape(),
                (i, key, query, _) -> result.set(i, key, query, 0, a.get(i, query - key + size - 1, 0, 0)));
    }

    /** {@code result[x + n * y, place, head] = a + horizontal[x] + vertical[y]}, the latter two at the same place. */
    private static void addRelPos(Step step) {
        Elements a = Elements.of(step.operand(0));
        Elements horizontal = Elements.of(step.operand(1));
        Elements vertical = Elements.of(step.operand(2));
        Elements result = Elements.of(step.result());
        long n = horizontal.shape().d0();
        long width = horizontal.shape().d1();
        Elements.forEachRow(result.shape(), (place, head, i3) -> {
            double[] scores = a.row(place, head, i3);
            // The additions have no dimension for the fourth one of the scores; ggml adds them to its first entry only.
            for (int i = 0; i < scores.length && i3 == 0; i++) {
                scores[i] += horizontal.get(i % n, place % width, place / width, head)
                        + vertical.get(i / n, place % width, place / width, head);
            }
            result.setRow(place, head, i3, scores);
        });
    }
}
