package dev.stowage.cuda.driver;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Structs of the driver's interface, written field by field. */
final class Structs {

    private static final int CLUSTER_DIMENSION = 4;
    private static final int PROGRAMMATIC_STREAM_SERIALIZATION = 6;

    private static final int HOST_MEMORY = 1;
    private static final int DEVICE_MEMORY = 2;

    private static final long LAUNCH_CONFIG_BYTES = 56;
    private static final long ATTRIBUTE_BYTES = 72;
    private static final long ATTRIBUTE_VALUE = 8;
    private static final long MEMCPY_2D_BYTES = 128;

    private Structs() {}

    /** {@code CUlaunchConfig}: grid, block, shared memory, stream, and an array of attributes. */
    static MemorySegment launchConfig(
            Arena scope,
            Dim3 grid,
            Dim3 block,
            int sharedBytes,
            Driver.Stream stream,
            int clusterSize,
            boolean dependent) {
        MemorySegment config = scope.allocate(LAUNCH_CONFIG_BYTES, 8);
        config.set(JAVA_INT, 0, grid.x());
        config.set(JAVA_INT, 4, grid.y());
        config.set(JAVA_INT, 8, grid.z());
        config.set(JAVA_INT, 12, block.x());
        config.set(JAVA_INT, 16, block.y());
        config.set(JAVA_INT, 20, block.z());
        config.set(JAVA_INT, 24, sharedBytes);
        config.set(JAVA_LONG, 32, stream.handle());
        MemorySegment attributes = scope.allocate(2 * ATTRIBUTE_BYTES, 8);
        int count = 0;
        if (dependent) {
            MemorySegment attribute = attributes.asSlice(count++ * ATTRIBUTE_BYTES, ATTRIBUTE_BYTES);
            attribute.set(JAVA_INT, 0, PROGRAMMATIC_STREAM_SERIALIZATION);
            attribute.set(JAVA_INT, ATTRIBUTE_VALUE, 1);
        }
        if (clusterSize > 1) {
            MemorySegment attribute = attributes.asSlice(count++ * ATTRIBUTE_BYTES, ATTRIBUTE_BYTES);
            attribute.set(JAVA_INT, 0, CLUSTER_DIMENSION);
            attribute.set(JAVA_INT, ATTRIBUTE_VALUE, clusterSize);
            attribute.set(JAVA_INT, ATTRIBUTE_VALUE + 4, 1);
            attribute.set(JAVA_INT, ATTRIBUTE_VALUE + 8, 1);
        }
        config.set(JAVA_LONG, 40, attributes.address());
        config.set(JAVA_INT, 48, count);
        return config;
    }

    /** {@code CUDA_MEMCPY2D} between device and host memory. */
    static MemorySegment memcpy2D(
            Arena scope,
            boolean toDevice,
            long target,
            long targetStride,
            long source,
            long sourceStride,
            long rowBytes,
            long rows) {
        MemorySegment copy = scope.allocate(MEMCPY_2D_BYTES, 8);
        // srcXInBytes 0, srcY 8, srcMemoryType 16, srcHost 24, srcDevice 32, srcArray 40, srcPitch 48
        copy.set(JAVA_INT, 16, toDevice ? HOST_MEMORY : DEVICE_MEMORY);
        copy.set(JAVA_LONG, toDevice ? 24 : 32, source);
        copy.set(JAVA_LONG, 48, sourceStride);
        // dstXInBytes 56, dstY 64, dstMemoryType 72, dstHost 80, dstDevice 88, dstArray 96, dstPitch 104
        copy.set(JAVA_INT, 72, toDevice ? DEVICE_MEMORY : HOST_MEMORY);
        copy.set(JAVA_LONG, toDevice ? 88 : 80, target);
        copy.set(JAVA_LONG, 104, targetStride);
        copy.set(JAVA_LONG, 112, rowBytes);
        copy.set(JAVA_LONG, 120, rows);
        return copy;
    }
}
