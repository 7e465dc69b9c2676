package dev.stowage.cpu.machine.matrix;

import static dev.stowage.cpu.machine.Address.at;
import static dev.stowage.cpu.machine.Gp.R8;
import static dev.stowage.cpu.machine.Gp.RAX;
import static dev.stowage.cpu.machine.Xmm.xmm;
import static dev.stowage.cpu.machine.Ymm.ymm;
import static dev.stowage.cpu.machine.Zmm.zmm;

import dev.stowage.cpu.machine.Address;
import dev.stowage.cpu.machine.Assembler;
import dev.stowage.cpu.machine.Gp;
import dev.stowage.cpu.machine.Operand;
import dev.stowage.cpu.machine.Target;
import dev.stowage.cpu.machine.Zmm;
import java.util.ArrayList;
import java.util.List;

/**
 * Does what AMX does, by AVX-512 with VNNI, and with its products of bf16, on matrices in memory: no more bytes are read and written than AMX does, and rows that
 * AMX does not have are not touched. RAX and registers 20 to 23 are lost.
 */
public final class EmulatedMatrices implements MatrixUnit {

    private static final int ROW = 64;
    private static final int MATRIX = 16 * ROW;

    /** The bytes of memory it needs. */
    public static final int BYTES = 8 * MATRIX;

    private final Assembler code;
    private final long memory;
    private final List<Shape> shapes = new ArrayList<>();

    /** Matrices at an address. */
    public EmulatedMatrices(Assembler code, long memory) {
        this.code = code;
        this.memory = memory;
    }

    @Override
    public void configure(List<Shape> newShapes, Address scratch) {
        for (Shape shape : newShapes) {
            if (shape.rows() < 1 || shape.rows() > 16 || shape.rowBytes() < 4 || shape.rowBytes() > ROW) {
                throw new IllegalArgumentException("AMX has no " + shape);
            }
        }
        shapes.addAll(newShapes);
        code.vmovups(scratch, zmm(20));
    }

    @Override
    public void zero(int to) {
        inMemory(() -> {
            code.vpxord(zmm(20), zmm(20), zmm(20));
            for (int row = 0; row < shapes.get(to).rows(); row++) {
                code.vmovups(row(to, row, 0), zmm(20));
            }
        });
    }

    @Override
    public void load(int to, Address from) {
        code.lea(RAX, at(from.base(), from.displacement()));
        inMemory(() -> {
            for (int row = 0; row < shapes.get(to).rows(); row++) {
                switch (shapes.get(to).rowBytes()) {
                    case 16 -> code.vmovups(xmm(20), at(RAX));
                    case 32 -> code.vmovups(ymm(20), at(RAX));
                    case ROW -> code.vmovups(zmm(20), at(RAX));
                    default -> throw new IllegalArgumentException("not needed yet: " + shapes.get(to));
                }
                code.vmovups(row(to, row, 0), zmm(20));
                code.lea(RAX, at(RAX, index(from), from.scale(), 0));
            }
        });
    }

    @Override
    public void store(Address to, int from) {
        code.lea(RAX, at(to.base(), to.displacement()));
        inMemory(() -> {
            if (shapes.get(from).rowBytes() != ROW) {
                throw new IllegalArgumentException("not needed yet: " + shapes.get(from));
            }
            for (int row = 0; row < shapes.get(from).rows(); row++) {
                code.vmovups(zmm(20), row(from, row, 0));
                code.vmovups(at(RAX), zmm(20));
                code.lea(RAX, at(RAX, index(to), to.scale(), 0));
            }
        });
    }

    @Override
    public void multiply(int to, int a, int b) {
        multiply(to, a, b, Assembler::vpdpbusd);
    }

    @Override
    public void multiplyPairs(int to, int a, int b) {
        multiply(to, a, b, Assembler::vdpbf16ps);
    }

    private interface Product {
        void write(Assembler code, Target<Zmm> to, Zmm b, Operand a);
    }

    private void multiply(int to, int a, int b, Product product) {
        Shape left = shapes.get(a);
        Shape right = shapes.get(b);
        if (!shapes.get(to).equals(new Shape(left.rows(), right.rowBytes())) || left.rowBytes() != 4 * right.rows()) {
            throw new IllegalArgumentException("AMX cannot multiply " + shapes);
        }
        inMemory(() -> {
            for (int m = 0; m < left.rows(); m++) {
                code.vmovups(zmm(20), row(to, m, 0));
                for (int k = 0; k < right.rows(); k++) {
                    code.vmovups(zmm(21), row(b, k, 0));
                    product.write(code, zmm(20), zmm(21), row(a, m, 4 * k).repeated());
                }
                code.vmovups(row(to, m, 0), zmm(20));
            }
        });
    }

    @Override
    public void release() {
        shapes.clear();
    }

    /** The address of a matrix is in R8 meanwhile, which must not be that of an operand. */
    private void inMemory(Runnable operation) {
        code.push(R8);
        code.mov(R8, memory);
        operation.run();
        code.pop(R8);
    }

    private static Address row(int matrix, int row, int offset) {
        return at(R8, matrix * MATRIX + row * ROW + offset);
    }

    private static Gp index(Address address) {
        Gp index = address.index();
        if (index == null || index == R8 || index == RAX) {
            throw new IllegalArgumentException("rows must be at distances of another register: " + address);
        }
        return index;
    }
}
