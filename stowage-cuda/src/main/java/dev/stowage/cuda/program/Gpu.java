package dev.stowage.cuda.program;

/**
 * The properties of a GPU that kernels are chosen by.
 *
 * @param capability compute capability, 90 for 9.0
 * @param multiprocessors how many there are
 * @param sharedBytesPerBlock the most dynamic shared memory of a block
 * @param l2Bytes the size of its L2 cache
 */
public record Gpu(int capability, int multiprocessors, int sharedBytesPerBlock, long l2Bytes) {

    /** Whether kernels compiled for sm_90a run: bulk copies, tensor maps, wgmma, clusters. */
    public boolean isHopper() {
        return capability == 90;
    }
}
