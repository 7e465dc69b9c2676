package dev.stowage.models;

import dev.stowage.error.InvalidGraphException;
import java.util.List;
import java.util.Objects;

/**
 * A residual network for images with bottleneck blocks, for inference: every batch norm is folded into the convolution
 * before it, which leaves that one a bias.
 *
 * @param name the name it is asked for by
 * @param description a human-readable description
 * @param blocks how many blocks each stage has; every stage but the first halves the image and doubles the channels
 * @param channels how many channels the first convolution gives, and the narrow part of the first stage has
 * @param classes the number of classes
 * @param imageSize width and height of an image
 */
public record ResNetShape(
        String name, String description, List<Integer> blocks, int channels, int classes, int imageSize)
        implements ModelShape {

    /** How many times wider a block is outside than in its middle. */
    static final int EXPANSION = 4;

    static final int IMAGE_CHANNELS = 3;
    static final int STEM_KERNEL = 7;

    /**
     * @throws InvalidGraphException if there is no such model; the message says which number is impossible
     */
    public ResNetShape {
        Objects.requireNonNull(name);
        Objects.requireNonNull(description);
        blocks = List.copyOf(blocks);
        if (blocks.isEmpty() || blocks.stream().anyMatch(count -> count < 1)) {
            throw new InvalidGraphException(
                    "there is no residual network '" + name + "' with " + blocks + " blocks: each stage needs one");
        }
        // Beyond 30 stages no image is large enough, and the shift would lose what it shifts.
        long smallest = 4L << Math.min(blocks.size() - 1, 30);
        if (channels < 1 || classes < 1 || imageSize < smallest) {
            throw new InvalidGraphException("there is no residual network '" + name + "' with " + channels
                    + " channels, " + classes + " classes and images of " + imageSize + " pixels: there must be one"
                    + " channel, one class, and " + smallest + " pixels for " + blocks.size() + " stages");
        }
    }

    /** How many blocks all stages have together. */
    public int blockCount() {
        return blocks.stream().mapToInt(Integer::intValue).sum();
    }

    /** The channels in the middle of the blocks of that stage, counted from 0. */
    long middleChannels(int stage) {
        return (long) channels << stage;
    }

    /**
     * {@inheritDoc}
     *
     * @throws InvalidGraphException if there are more than a long can count
     */
    @Override
    public long parameters() {
        try {
            return counted();
        } catch (ArithmeticException _) {
            throw new InvalidGraphException("the parameters of '" + name + "' are more than a long can count");
        }
    }

    private long counted() {
        long sum = convolution(STEM_KERNEL, IMAGE_CHANNELS, channels);
        long in = channels;
        for (int stage = 0; stage < blocks.size(); stage++) {
            long middle = middleChannels(stage);
            long out = Math.multiplyExact(middle, EXPANSION);
            sum = Math.addExact(sum, convolution(1, in, out));
            for (int block = 0; block < blocks.get(stage); block++) {
                sum = Math.addExact(sum, convolution(1, in, middle));
                sum = Math.addExact(sum, convolution(3, middle, middle));
                sum = Math.addExact(sum, convolution(1, middle, out));
                in = out;
            }
        }
        return Math.addExact(sum, convolution(1, in, classes));
    }

    private static long convolution(long kernel, long in, long out) {
        return Math.addExact(Math.multiplyExact(kernel * kernel, Math.multiplyExact(in, out)), out);
    }
}
