package dev.stowage.cuda.program;

import dev.stowage.cuda.driver.Dim3;
import dev.stowage.cuda.kernel.ParameterType;
import dev.stowage.cuda.memory.DeviceAddress;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.Layout;
import java.util.ArrayList;
import java.util.List;

/**
 * One launch of a kernel: the kernel by name, the size of grid and block, and its arguments. Built by op kernels, and
 * checked against the {@linkplain dev.stowage.cuda.kernel.KernelSignature signature} when it is added to a program.
 *
 * {@snippet :
 * out.add(Launch.of("rms_norm_f32").grid(rows).block(256).view(step.operand(0)).view(step.result()).f32(epsilon));
 * }
 */
public final class Launch {

    /** An argument: its type and its value. */
    public sealed interface Argument {

        ParameterType type();
    }

    /** The bits of a pointer, an integer or a float. */
    public record Scalar(ParameterType type, long bits) implements Argument {}

    /** The address of scratch memory, which is known when the program is complete. */
    public record ScratchPointer(Scratch scratch, long offset) implements Argument {

        @Override
        public ParameterType type() {
            return ParameterType.POINTER;
        }
    }

    /** The address of the {@linkplain IndexReport report} of the stream that the program runs in. */
    public record ReportPointer() implements Argument {

        @Override
        public ParameterType type() {
            return ParameterType.POINTER;
        }
    }

    /**
     * A number by which a report says what it is about.
     *
     * @param description the text that the number stands for
     */
    public record ReportSubject(String description) implements Argument {

        @Override
        public ParameterType type() {
            return ParameterType.I64;
        }
    }

    /** A tensor with shape and strides. */
    public record ViewArgument(long address, Layout layout) implements Argument {

        @Override
        public ParameterType type() {
            return ParameterType.VIEW;
        }
    }

    /** A matrix of 2-byte elements for the copy engine; its address may be scratch memory. */
    public record MatrixArgument(Argument base, long columns, long rows, long rowBytes, int boxColumns, int boxRows)
            implements Argument {

        @Override
        public ParameterType type() {
            return ParameterType.TENSOR_MAP;
        }
    }

    /**
     * A tensor of 2-byte elements with any number of dimensions for the copy engine; innermost first.
     *
     * @param sizes elements of each dimension
     * @param strides bytes from one to the next of each dimension but the innermost
     * @param box elements of each dimension that are copied at once
     */
    public record TensorArgument(Argument base, List<Long> sizes, List<Long> strides, List<Integer> box)
            implements Argument {

        @Override
        public ParameterType type() {
            return ParameterType.TENSOR_MAP;
        }
    }

    private final String kernel;
    private final List<Argument> arguments = new ArrayList<>();
    private Dim3 grid = Dim3.of(1);
    private Dim3 block = Dim3.of(1);
    private int sharedBytes;
    private int clusterSize = 1;
    private boolean dependent;

    private Launch(String kernel) {
        this.kernel = kernel;
    }

    /** A launch of that kernel. */
    public static Launch of(String kernel) {
        return new Launch(kernel);
    }

    public Launch grid(long x) {
        return grid(x, 1, 1);
    }

    public Launch grid(long x, long y, long z) {
        this.grid = new Dim3(Math.toIntExact(x), Math.toIntExact(y), Math.toIntExact(z));
        return this;
    }

    public Launch block(int x) {
        this.block = Dim3.of(x);
        return this;
    }

    public Launch block(int x, int y) {
        this.block = new Dim3(x, y, 1);
        return this;
    }

    /** Dynamic shared memory. */
    public Launch shared(int bytes) {
        this.sharedBytes = bytes;
        return this;
    }

    /** Thread blocks come in clusters of that many (sm_90). */
    public Launch cluster(int blocks) {
        this.clusterSize = blocks;
        return this;
    }

    /**
     * The kernel begins with {@code pdl_wait()} before it touches what earlier launches write, so that it may be
     * started before they have ended.
     */
    public Launch dependent() {
        this.dependent = true;
        return this;
    }

    public Launch pointer(long address) {
        return argument(new Scalar(ParameterType.POINTER, address));
    }

    /** The address of the first byte of a tensor in device memory. */
    public Launch pointer(BoundTensor tensor) {
        return pointer(DeviceAddress.of(tensor));
    }

    public Launch pointer(Scratch scratch) {
        return pointer(scratch, 0);
    }

    public Launch pointer(Scratch scratch, long offset) {
        return argument(new ScratchPointer(scratch, offset));
    }

    public Launch i32(long value) {
        return argument(new Scalar(ParameterType.I32, Math.toIntExact(value)));
    }

    public Launch i64(long value) {
        return argument(new Scalar(ParameterType.I64, value));
    }

    public Launch f32(float value) {
        return argument(new Scalar(ParameterType.F32, Float.floatToRawIntBits(value)));
    }

    /** A tensor with its shape and strides. */
    public Launch view(BoundTensor tensor) {
        return argument(new ViewArgument(DeviceAddress.of(tensor), tensor.layout()));
    }

    public Launch argument(Argument argument) {
        arguments.add(argument);
        return this;
    }

    public String kernel() {
        return kernel;
    }

    public List<Argument> arguments() {
        return List.copyOf(arguments);
    }

    public Dim3 grid() {
        return grid;
    }

    public Dim3 block() {
        return block;
    }

    public int sharedBytes() {
        return sharedBytes;
    }

    public int clusterSize() {
        return clusterSize;
    }

    public boolean isDependent() {
        return dependent;
    }
}
