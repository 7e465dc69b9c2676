package dev.stowage.cuda.op.elementwise;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.strided.BinaryFunction;
import dev.stowage.cuda.program.Launch;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import java.util.EnumMap;
import java.util.Map;

/** Arithmetic and functions element by element. */
public final class ElementwiseFamily {

    private ElementwiseFamily() {}

    /** The kernels of the family by op. */
    public static Map<Op, OpKernel> kernels() {
        Map<Op, OpKernel> kernels = new EnumMap<>(Op.class);
        kernels.put(Op.ADD, new BinaryKernel(BinaryFunction.ADD));
        kernels.put(Op.SUB, new BinaryKernel(BinaryFunction.SUB));
        kernels.put(Op.MUL, new BinaryKernel(BinaryFunction.MUL));
        kernels.put(Op.DIV, new BinaryKernel(BinaryFunction.DIV));
        kernels.put(Op.ADD1, new BinaryKernel(BinaryFunction.ADD));
        kernels.put(Op.ADD_ID, new AddIdKernel());
        kernels.put(Op.GLU, new GluKernel());
        for (Op op : MapFunction.OPS) {
            kernels.put(op, new MapKernel());
        }
        return kernels;
    }

    /** Adds the function of a GLU, its alpha and its limit to a launch, as {@code glu.cuh} takes them. */
    public static Launch addGluFunction(Launch launch, OpParameters parameters) {
        return GluArguments.of(parameters).addTo(launch);
    }
}
