package dev.stowage.gguf.quantize;

import dev.stowage.gguf.GgufTensor;
import dev.stowage.tensor.ElementType;
import java.util.List;

/**
 * The rules of llama.cpp for one model and one file type, applied tensor by tensor in order: some depend on how many of
 * a kind came before.
 */
final class MixRules {

    private final FileType target;
    private final ElementType most;
    private final ModelTraits model;
    private final int valueCount;
    private int valuesSeen;
    private int downsSeen;

    MixRules(FileType target, ModelTraits model, List<GgufTensor> all) {
        this.target = target;
        this.most = target.mostly();
        this.model = model;
        this.valueCount = (int) all.stream()
                .filter(tensor -> TensorRole.of(tensor.name()) == TensorRole.ATTENTION_VALUE)
                .count();
    }

    /** The type of the next tensor, which is one that is quantised at all. */
    ElementType typeOf(GgufTensor tensor) {
        return most.isQuantized() ? fitting(mixed(tensor), tensor) : most;
    }

    private ElementType mixed(GgufTensor tensor) {
        return switch (TensorRole.of(tensor.name())) {
            case OUTPUT -> output(tensor);
            case TOKEN_EMBEDDING -> model.tied() ? output(tensor) : embedding();
            case ATTENTION_VALUE -> value(valuesSeen++);
            case ATTENTION_KEY -> model.experts() == 8 ? ElementType.Q8_0 : most;
            case ATTENTION_OUTPUT -> attentionOutput();
            case FEED_FORWARD_DOWN -> down(layer(tensor, downsSeen++));
            case ATTENTION_QUERY, OTHER -> most;
        };
    }

    private ElementType output(GgufTensor tensor) {
        if (model.isFalcon() || tensor.shape().d0() % most.blockSize() != 0) {
            return ElementType.Q8_0;
        }
        return most == ElementType.Q8_0 ? most : ElementType.Q6_K;
    }

    private ElementType embedding() {
        return switch (target) {
            case TQ1_0, TQ2_0 -> ElementType.Q4_K;
            default -> most;
        };
    }

    private ElementType value(int i) {
        boolean shared = model.sharing() >= 4;
        ElementType type = switch (target) {
            case Q2_K -> shared ? ElementType.Q4_K : ElementType.Q3_K;
            case IQ3_S -> shared ? ElementType.Q4_K : most;
            case IQ3_M -> ElementType.Q4_K;
            case Q3_K_M -> i < 2 ? ElementType.Q5_K : ElementType.Q4_K;
            case Q3_K_L -> ElementType.Q5_K;
            case IQ4_NL, IQ4_XS -> shared ? ElementType.Q5_K : most;
            case Q4_K_M, Q5_K_M -> getsMoreBits(i, valueCount) ? ElementType.Q6_K : most;
            case Q4_K_S -> i < 4 ? ElementType.Q5_K : most;
            default -> most;
        };
        if (model.experts() == 8) {
            return ElementType.Q8_0;
        }
        boolean few = type == ElementType.Q3_K || type == ElementType.Q4_K;
        return model.shortValues() && few ? ElementType.Q5_K : type;
    }

    private ElementType attentionOutput() {
        if (model.isFalcon()) {
            return target == FileType.Q3_K_L ? ElementType.Q4_K : most;
        }
        if (model.experts() == 8) {
            return switch (target) {
                case Q2_K, Q3_K_S, Q3_K_M, Q4_K_S, Q4_K_M, IQ4_NL, IQ4_XS, IQ3_S, IQ3_M -> ElementType.Q5_K;
                default -> most;
            };
        }
        return switch (target) {
            case Q2_K -> ElementType.Q3_K;
            case Q3_K_M, IQ3_M -> ElementType.Q4_K;
            case Q3_K_L -> ElementType.Q5_K;
            default -> most;
        };
    }

    private ElementType down(long layer) {
        long layers = model.layers();
        boolean more = getsMoreBits(layer, layers);
        boolean early = layer < layers / 8;
        boolean falcon = model.isFalcon();
        return switch (target) {
            case Q2_K -> ElementType.Q3_K;
            case Q3_K_M ->
                layer < layers / 16 ? ElementType.Q5_K : !falcon || more ? ElementType.Q4_K : ElementType.Q3_K;
            case Q3_K_L -> falcon ? ElementType.Q4_K : ElementType.Q5_K;
            case IQ3_M -> early || (model.experts() == 8 && more) ? ElementType.Q4_K : most;
            case Q4_K_M -> falcon ? downOfFalcon(layer, more) : more ? ElementType.Q6_K : most;
            case Q4_K_S -> early && !falcon ? ElementType.Q5_K : most;
            case Q5_K_M -> more ? ElementType.Q6_K : most;
            case IQ4_NL, IQ4_XS -> early ? ElementType.Q5_K : most;
            default -> most;
        };
    }

    private ElementType downOfFalcon(long layer, boolean more) {
        if (layer < model.layers() / 16) {
            return ElementType.Q6_K;
        }
        return more ? ElementType.Q5_K : ElementType.Q4_K;
    }

    /** With experts the tensors of a layer may be in any order, so that counting them does not give the layer. */
    private long layer(GgufTensor tensor, int counted) {
        return model.experts() > 1 ? LayerOrder.layerOf(tensor.name()).orElse(counted) : counted;
    }

    /** The first and the last eighth, and every third in between. */
    private static boolean getsMoreBits(long i, long count) {
        return i < count / 8 || i >= 7 * count / 8 || (i - count / 8) % 3 == 2;
    }

    /** The type itself where rows are whole numbers of its blocks, and otherwise one with smaller blocks. */
    private static ElementType fitting(ElementType type, GgufTensor tensor) {
        long columns = tensor.shape().d0();
        if (columns % type.blockSize() == 0) {
            return type;
        }
        ElementType standIn = switch (type) {
            case IQ3_S, IQ4_XS -> ElementType.IQ4_NL;
            case Q2_K, Q3_K, TQ1_0, TQ2_0 -> ElementType.Q4_0;
            case Q4_K -> ElementType.Q5_0;
            case Q5_K -> ElementType.Q5_1;
            case Q6_K -> ElementType.Q8_0;
            default -> ElementType.F16;
        };
        return columns % standIn.blockSize() == 0 ? standIn : ElementType.F16;
    }
}
