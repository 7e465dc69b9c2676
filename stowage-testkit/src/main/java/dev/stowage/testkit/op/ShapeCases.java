package dev.stowage.testkit.op;

import static dev.stowage.tensor.ElementType.F32;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;

/** Views, for which nothing runs: the bytes must be found where the strides say. */
final class ShapeCases {

    private ShapeCases() {}

    static void addTo(CaseList cases) {
        for (ElementType type : new ElementType[] {F32, ElementType.F16, ElementType.Q4_0}) {
            cases.add(Op.RESHAPE, o -> o.exact().note("as [32, 12]").b().reshape(o.of(type, 64, 3, 2), 32, 12));
            cases.add(Op.PERMUTE, o -> o.exact().note("0 2 1 3").b().permute(o.of(type, 32, 3, 4, 2), 0, 2, 1, 3));
            cases.add(Op.VIEW, o -> {
                Tensor a = o.of(type, 64, 6);
                return o.exact().note("of rows 2 to 4").b().view2d(a, 32, 3, a.stride(1), 2 * a.stride(1));
            });
        }
        cases.add(Op.TRANSPOSE, o -> o.exact().b().transpose(o.f32(6, 5, 3)));
        cases.add(Op.PERMUTE, o -> o.exact().note("2 0 3 1").b().permute(o.f32(2, 3, 4, 5), 2, 0, 3, 1));
        cases.add(Op.RESHAPE, o -> o.exact().note("as [0, 4]").b().reshape(o.f32(4, 0), 0, 4));
        cases.random(Op.RESHAPE, o -> {
            long[] shape = {o.size(9), o.size(9), o.between(1, 4)};
            return o.exact().b().reshape(o.f32(shape), shape[1], shape[2], shape[0]);
        });
        cases.random(Op.VIEW, o -> o.exact().b().view1d(o.f32(40 + o.size(20)), o.size(9), 4L * o.between(0, 30)));
        cases.random(Op.PERMUTE, o -> o.exact().b().permute(o.f32(o.size(9), o.size(9), o.size(5), 2), 1, 3, 0, 2));
        cases.random(Op.TRANSPOSE, o -> o.exact().b().transpose(o.f32(o.size(33), o.size(33), o.between(1, 3))));
    }
}
