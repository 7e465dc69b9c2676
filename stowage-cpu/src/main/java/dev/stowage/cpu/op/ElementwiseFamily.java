package dev.stowage.cpu.op;

import dev.stowage.cpu.kernel.AngleKernels;
import dev.stowage.cpu.kernel.ArithmeticKernels;
import dev.stowage.cpu.kernel.LogKernels;
import dev.stowage.cpu.kernel.PiecewiseKernels;
import dev.stowage.cpu.op.MapOp.Choice;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import java.util.Map;

/** The kernels of ops that compute each element from the elements of the operands at the same place. */
final class ElementwiseFamily {

    private ElementwiseFamily() {}

    static void addTo(Map<Op, OpKernel> byOp) {
        ZipOp add = new ZipOp(ArithmeticKernels::add, ArithmeticKernels::addOne, Cost.ARITHMETIC);
        byOp.put(Op.ADD, add);
        byOp.put(Op.ADD1, add);
        byOp.put(Op.SUB, new ZipOp(ArithmeticKernels::sub, ArithmeticKernels::subOne, Cost.ARITHMETIC));
        byOp.put(Op.MUL, new ZipOp(ArithmeticKernels::mul, ArithmeticKernels::mulOne, Cost.ARITHMETIC));
        byOp.put(Op.DIV, new ZipOp(ArithmeticKernels::div, ArithmeticKernels::divOne, Cost.ARITHMETIC));
        byOp.put(Op.ADD_ID, new AddIdOp());
        byOp.put(Op.SQR, new MapOp(ArithmeticKernels::square, Cost.ARITHMETIC));
        byOp.put(Op.SQRT, new MapOp(ArithmeticKernels::squareRoot, Cost.ARITHMETIC));
        byOp.put(Op.LOG, new MapOp(LogKernels::log, Cost.EXPONENTIAL));
        byOp.put(Op.SIN, new MapOp(AngleKernels::sin, Cost.EXPONENTIAL));
        byOp.put(Op.COS, new MapOp(AngleKernels::cos, Cost.EXPONENTIAL));
        byOp.put(Op.SCALE, new MapOp(ElementwiseFamily::scaling));
        byOp.put(Op.CLAMP, new MapOp(ElementwiseFamily::clamping));
        byOp.put(Op.LEAKY_RELU, new MapOp(ElementwiseFamily::leaking));
        byOp.put(Op.FILL, new MapOp(ElementwiseFamily::filling));
        byOp.put(Op.UNARY, new MapOp(UnaryFunctions::choose));
        byOp.put(Op.GLU, new GluOp());
    }

    private static Choice scaling(NodeBuilder node) {
        OpParameters.Scale by = node.parameters(OpParameters.Scale.class);
        float scale = by.scale();
        float bias = by.bias();
        return new Choice((from, to, n) -> ArithmeticKernels.scale(from, to, n, scale, bias), Cost.ARITHMETIC);
    }

    private static Choice clamping(NodeBuilder node) {
        OpParameters.Clamp bounds = node.parameters(OpParameters.Clamp.class);
        float min = bounds.min();
        float max = bounds.max();
        return new Choice((from, to, n) -> PiecewiseKernels.clamp(from, to, n, min, max), Cost.ARITHMETIC);
    }

    private static Choice leaking(NodeBuilder node) {
        float slope = node.parameters(OpParameters.LeakyRelu.class).slope();
        return new Choice((from, to, n) -> PiecewiseKernels.leakyRelu(from, to, n, slope), Cost.ARITHMETIC);
    }

    private static Choice filling(NodeBuilder node) {
        float value = node.parameters(OpParameters.Fill.class).value();
        return new Choice((_, to, n) -> ArithmeticKernels.fill(to, n, value), Cost.ARITHMETIC);
    }
}
