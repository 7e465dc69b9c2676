package dev.stowage.cpu.op.elementwise;

import dev.stowage.cpu.kernel.math.ArithmeticKernels;
import dev.stowage.cpu.kernel.math.LogKernels;
import dev.stowage.cpu.kernel.math.PiecewiseKernels;
import dev.stowage.cpu.kernel.math.SinCosKernels;
import dev.stowage.cpu.op.elementwise.UnaryOp.Choice;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.team.ElementCost;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import java.util.Map;

/** The kernels of ops that compute each element from the elements of the operands at the same place. */
public final class ElementwiseFamily {

    private ElementwiseFamily() {}

    public static void addTo(Map<Op, OpKernel> byOp) {
        BinaryOp add = new BinaryOp(ArithmeticKernels::add, ArithmeticKernels::addOne, ElementCost.ARITHMETIC);
        byOp.put(Op.ADD, add);
        byOp.put(Op.ADD1, add);
        byOp.put(Op.SUB, new BinaryOp(ArithmeticKernels::sub, ArithmeticKernels::subOne, ElementCost.ARITHMETIC));
        byOp.put(Op.MUL, new BinaryOp(ArithmeticKernels::mul, ArithmeticKernels::mulOne, ElementCost.ARITHMETIC));
        byOp.put(Op.DIV, new BinaryOp(ArithmeticKernels::div, ArithmeticKernels::divOne, ElementCost.ARITHMETIC));
        byOp.put(Op.ADD_ID, new AddIdOp());
        byOp.put(Op.SQR, new UnaryOp(ArithmeticKernels::square, ElementCost.ARITHMETIC));
        byOp.put(Op.SQRT, new UnaryOp(ArithmeticKernels::squareRoot, ElementCost.ARITHMETIC));
        byOp.put(Op.LOG, new UnaryOp(LogKernels::log, ElementCost.EXPONENTIAL));
        byOp.put(Op.SIN, new UnaryOp(SinCosKernels::sin, ElementCost.EXPONENTIAL));
        byOp.put(Op.COS, new UnaryOp(SinCosKernels::cos, ElementCost.EXPONENTIAL));
        byOp.put(Op.SCALE, new UnaryOp(ElementwiseFamily::scaling));
        byOp.put(Op.CLAMP, new UnaryOp(ElementwiseFamily::clamping));
        byOp.put(Op.LEAKY_RELU, new UnaryOp(ElementwiseFamily::leaking));
        byOp.put(Op.FILL, new UnaryOp(ElementwiseFamily::filling));
        byOp.put(Op.UNARY, new UnaryOp(UnaryFunctions::choose));
        byOp.put(Op.GLU, new GluOp());
    }

    private static Choice scaling(NodeBuilder node) {
        OpParameters.Scale by = node.parameters(OpParameters.Scale.class);
        float scale = by.scale();
        float bias = by.bias();
        return new Choice((from, to, n) -> ArithmeticKernels.scale(from, to, n, scale, bias), ElementCost.ARITHMETIC);
    }

    private static Choice clamping(NodeBuilder node) {
        OpParameters.Clamp bounds = node.parameters(OpParameters.Clamp.class);
        float min = bounds.min();
        float max = bounds.max();
        return new Choice((from, to, n) -> PiecewiseKernels.clamp(from, to, n, min, max), ElementCost.ARITHMETIC);
    }

    private static Choice leaking(NodeBuilder node) {
        float slope = node.parameters(OpParameters.LeakyRelu.class).slope();
        return new Choice((from, to, n) -> PiecewiseKernels.leakyRelu(from, to, n, slope), ElementCost.ARITHMETIC);
    }

    private static Choice filling(NodeBuilder node) {
        float value = node.parameters(OpParameters.Fill.class).value();
        return new Choice((_, to, n) -> ArithmeticKernels.fill(to, n, value), ElementCost.ARITHMETIC);
    }
}
