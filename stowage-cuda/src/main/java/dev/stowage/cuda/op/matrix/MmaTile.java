package dev.stowage.cuda.op.matrix;

/** The square tiles of {@code gemm.cu}. */
enum MmaTile {
    LARGE("large", 128, 256, 3),
    SMALL("small", 64, 128, 4);

    private final String kernel;
    private final int edge;
    private final int threads;
    private final int stages;

    MmaTile(String kernel, int edge, int threads, int stages) {
        this.kernel = kernel;
        this.edge = edge;
        this.threads = threads;
        this.stages = stages;
    }

    /** Large tiles where there are enough of them for every multiprocessor. */
    static MmaTile best(long tokens, long weights, long products, int multiprocessors) {
        long tiles = Math.ceilDiv(tokens, LARGE.edge) * Math.ceilDiv(weights, LARGE.edge) * products;
        return tokens > SMALL.edge && tiles >= multiprocessors ? LARGE : SMALL;
    }

    static MmaTile ofEdge(int edge) {
        return edge == LARGE.edge ? LARGE : SMALL;
    }

    String kernel() {
        return kernel;
    }

    int edge() {
        return edge;
    }

    int threads() {
        return threads;
    }

    int sharedBytes() {
        return stages * 2 * edge * Gemm.STEP * 2;
    }
}
