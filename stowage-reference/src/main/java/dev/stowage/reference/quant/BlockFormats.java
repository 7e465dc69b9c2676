package dev.stowage.reference.quant;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.tensor.ElementType;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The one object there is of each format, by its type. */
final class BlockFormats {

    private static final Map<ElementType, BlockFormat> BY_TYPE = byType(List.of(
            new UnquantizedFormats.F32(),
            new UnquantizedFormats.F16(),
            new UnquantizedFormats.BF16(),
            new Q1_0(),
            new Q2_0(),
            new Q4_0(),
            new Q4_1(),
            new Q5_0(),
            new Q5_1(),
            new Q8_0(),
            new Q8_1(),
            new Q2_K(),
            new Q3_K(),
            new Q4_K(),
            new Q5_K(),
            new Q6_K(),
            new Q8_K(),
            new IQ1_S(),
            new IQ1_M(),
            new IQ2_XXS(),
            new IQ2_XS(),
            new IQ2_S(),
            new IQ3_XXS(),
            new IQ3_S(),
            new IQ4_NL(),
            new IQ4_XS(),
            new TQ1_0(),
            new TQ2_0(),
            new MXFP4(),
            new NVFP4()));

    private BlockFormats() {}

    static BlockFormat of(ElementType type) {
        BlockFormat format = BY_TYPE.get(type);
        if (format == null) {
            throw new InvalidTensorException(
                    type + " elements do not stand for floats: there is a block format for " + BY_TYPE.keySet());
        }
        return format;
    }

    private static Map<ElementType, BlockFormat> byType(List<BlockFormat> formats) {
        Map<ElementType, BlockFormat> map = new EnumMap<>(ElementType.class);
        for (BlockFormat format : formats) {
            map.put(format.type(), format);
        }
        return map;
    }
}
