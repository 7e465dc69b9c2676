package dev.stowage.llm.fit;

import dev.stowage.device.Device;
import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.GgufHeader;
import dev.stowage.llm.model.ModelBlueprint;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.HostBuffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.models.LayerPlacement;
import dev.stowage.tensor.Tensor;

/** In which memory a device keeps a weight. Plans and loading go by the same answer. */
@FunctionalInterface
public interface WeightMemory {

    /**
     * The memory of a weight.
     *
     * @param type the type of the buffer it is stored in
     * @param isMapped whether that is the mapped file, so that nothing is taken or copied
     */
    record Home(BufferType type, boolean isMapped) {}

    /**
     * The memory of one weight.
     *
     * @param weight the weight
     * @param part the part of the model it belongs to
     * @param devices the devices of the model
     * @param number the number of the device of that part
     */
    Home of(Tensor weight, int part, WeightDevices devices, int number);

    /** Every weight in the memory that its device has for results: for models without a file. */
    static WeightMemory ofDevices() {
        return (_, _, devices, number) -> new Home(devices.device(number).bufferType(), false);
    }

    /**
     * The weights of a file: in the mapped file where the device reads that and prefers nothing else, else in memory of
     * the device. Weights of the processor that another device computes with, as their ops are offloaded, are kept in host
     * memory that this device fetches them from fastest.
     *
     * @param rearranges whether devices get weights in the memory that they prefer for them
     * @param maps whether weights may stay in the mapped file
     */
    static WeightMemory ofFile(ModelBlueprint blueprint, boolean rearranges, boolean maps) {
        return (weight, part, devices, number) -> {
            Device device = devices.device(number);
            // Rows of the embeddings are looked up, which memory for products is not made for.
            boolean isPreferred = rearranges && part != LayerPlacement.INPUT;
            BufferType wanted = isPreferred
                    ? devices.fetchedFrom(number).orElseGet(() -> device.weightsType(weight.layout()))
                    : device.bufferType();
            BufferType mapped = mappedType(blueprint.contents(), blueprint.nameInFile(weight));
            boolean isMapped = maps && wanted.equals(device.bufferType()) && device.supportsBufferType(mapped);
            return new Home(isMapped ? mapped : wanted, isMapped);
        };
    }

    /** The type of buffer that the file of a tensor is mapped into. */
    static BufferType mappedType(GgufContents contents, String name) {
        GgufHeader part = contents.parts().get(contents.tensor(name).part());
        return HostBufferType.standard()
                .withName("mapped")
                .withAlignment(Math.min(part.alignment(), HostBuffer.FOREIGN_ALIGNMENT));
    }
}
