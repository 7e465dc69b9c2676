package dev.stowage.cpu.machine.row;

import dev.stowage.cpu.machine.Address;
import dev.stowage.cpu.machine.Assembler;
import dev.stowage.cpu.machine.VectorRegister;
import dev.stowage.tensor.ElementType;
import java.util.Optional;

/** The types of rows that there is machine code for, and how elements are loaded as floats. */
public enum RowType {
    F32(ElementType.F32) {
        @Override
        <V extends VectorRegister<V>> void load(Assembler code, V to, Address from) {
            code.vmovups(to, from);
        }
    },
    F16(ElementType.F16) {
        @Override
        <V extends VectorRegister<V>> void load(Assembler code, V to, Address from) {
            code.vcvtph2ps(to, from);
        }
    },
    BF16(ElementType.BF16) {
        @Override
        <V extends VectorRegister<V>> void load(Assembler code, V to, Address from) {
            code.vpmovzxwd(to, from);
            code.vpslld(to, to, 16);
        }
    };

    private final ElementType elements;

    RowType(ElementType elements) {
        this.elements = elements;
    }

    /** The rows of a type, if there is machine code for them. */
    public static Optional<RowType> of(ElementType type) {
        for (RowType row : values()) {
            if (row.elements == type) {
                return Optional.of(row);
            }
        }
        return Optional.empty();
    }

    /** The bytes of 16 elements. */
    int bytes() {
        return RowKernels.LANES * elements.bytesPerBlock();
    }

    /** Loads as many elements as a register has floats. */
    abstract <V extends VectorRegister<V>> void load(Assembler code, V to, Address from);
}
