package dev.stowage.bench.ops;

import dev.stowage.bench.ops.OpBenchCase.Demand;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * Products of a matrix with a matrix, and with a vector. The latter cycles through so many weights that none of them is
 * still in a cache when it is read again.
 */
final class MatMulBenchCases {

    private static final List<ElementType> USUAL = List.of(
            ElementType.F32,
            ElementType.F16,
            ElementType.BF16,
            ElementType.Q8_0,
            ElementType.Q4_0,
            ElementType.Q4_K,
            ElementType.Q6_K);

    private static final List<ElementType> ON_REQUEST = List.of(
            ElementType.Q4_1,
            ElementType.Q5_0,
            ElementType.Q5_1,
            ElementType.Q2_K,
            ElementType.Q3_K,
            ElementType.Q5_K,
            ElementType.MXFP4);

    private static final long COLD_BYTES = 768L << 20;

    private MatMulBenchCases() {}

    static List<OpBenchCase> all() {
        List<OpBenchCase> all = new ArrayList<>();
        forAllTypes((type, demand) -> {
            all.add(product(type, 1024, 1024, 1024, demand));
            all.add(product(type, 4096, 512, 4096, demand.patient()));
        });
        forAllTypes((type, demand) -> all.add(coldVector(type, 4096, 4096, COLD_BYTES, demand)));
        return all;
    }

    private interface ForType {
        void add(ElementType type, Demand demand);
    }

    private static void forAllTypes(ForType adding) {
        USUAL.forEach(type -> adding.add(type, Demand.USUAL));
        ON_REQUEST.forEach(type -> adding.add(type, Demand.ON_REQUEST));
    }

    /** {@code m} rows of weights times {@code n} rows of f32, all of length {@code k}. */
    static OpBenchCase product(ElementType type, int m, int n, int k, Demand demand) {
        return new OpBenchCase(
                "mul_mat",
                m + "x" + n + "x" + k,
                type,
                SpeedUnit.GFLOPS,
                2.0 * m * n * k,
                ErrorBounds.ofProduct(type),
                demand,
                data -> {
                    BenchWorkloadBuilder b = new BenchWorkloadBuilder(data);
                    Tensor weight = b.weight(type, k, m);
                    return b.build(List.of(b.ops().mulMat(weight, b.input(ElementType.F32, k, n))));
                });
    }

    /** One vector times as many matrices as it takes to fill so many bytes, one after the other. */
    static OpBenchCase coldVector(ElementType type, int m, int k, long bytes, Demand demand) {
        long matrix = type.rowBytes(k) * m;
        int matrices = Math.toIntExact(Math.ceilDiv(bytes, matrix));
        return new OpBenchCase(
                "mul_mat_vec",
                m + "x" + k + " cold",
                type,
                SpeedUnit.GIGABYTES,
                (double) matrix * matrices,
                ErrorBounds.ofProduct(type),
                demand,
                data -> {
                    BenchWorkloadBuilder b = new BenchWorkloadBuilder(data);
                    Tensor vector = b.input(ElementType.F32, k);
                    List<Tensor> products = new ArrayList<>();
                    for (int i = 0; i < matrices; i++) {
                        products.add(b.ops().mulMat(b.weight(type, k, m), vector));
                    }
                    return b.build(products);
                });
    }
}
