package dev.stowage.llm.tokenizer;

import java.util.List;
import java.util.SplittableRandom;

/** Texts full of what cutting words stumbles over, and of characters from all over Unicode. */
final class RandomText {

    private static final List<String> BITS = List.of(
            "harbor",
            "the",
            "'s",
            "'LL",
            "'ve",
            " ",
            "  ",
            "   ",
            "\n",
            "\r\n",
            "\t",
            "1",
            "23",
            "4567",
            "\u0663",
            "\u2167",
            "\u00e9",
            "e\u0301",
            "\u65e5\u672c\u8a9e",
            "\u2014",
            "\ud83d\ude00",
            "\u00a0",
            "\u3000",
            "\u200d",
            ", ",
            "!!",
            "$",
            "<s>",
            "\u2581");

    private RandomText() {}

    static String of(SplittableRandom random) {
        StringBuilder text = new StringBuilder();
        int length = random.nextInt(30);
        for (int i = 0; i < length; i++) {
            if (random.nextBoolean()) {
                text.append(BITS.get(random.nextInt(BITS.size())));
            } else {
                text.appendCodePoint(character(random));
            }
        }
        return text.toString();
    }

    private static int character(SplittableRandom random) {
        return switch (random.nextInt(4)) {
            case 0 -> random.nextInt(0x20, 0x7F);
            case 1 -> random.nextInt(0x80, 0x3000);
            case 2 -> random.nextInt(0x3000, Character.MIN_SURROGATE);
            default -> random.nextInt(Character.MAX_SURROGATE + 1, Character.MAX_CODE_POINT + 1);
        };
    }
}
