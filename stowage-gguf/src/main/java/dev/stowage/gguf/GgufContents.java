package dev.stowage.gguf;

import dev.stowage.error.MalformedDataException;
import dev.stowage.memory.OpenFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.ToLongFunction;

/**
 * The contents of a model, in one file or in all parts of a split one: metadata and tensors, without their data. Only
 * the headers of the files are read, so that this works on a model that is still being downloaded.
 */
public final class GgufContents {

    static final String SPLIT_NUMBER = "split.no";
    static final String SPLIT_COUNT = "split.count";
    static final String SPLIT_TENSORS = "split.tensors.count";

    private final List<GgufHeader> parts;
    private final SequencedMap<String, GgufTensor> tensors;
    private final long parameters;
    private final long byteSize;

    private GgufContents(List<GgufHeader> parts) {
        this.parts = List.copyOf(parts);
        this.tensors = Collections.unmodifiableSequencedMap(collect(parts));
        this.parameters = sum(tensor -> tensor.shape().elements(), "parameters");
        this.byteSize = sum(GgufTensor::byteSize, "bytes");
    }

    /** Without their data the tensors may be of any size, so that even a sum must be checked. */
    private long sum(ToLongFunction<GgufTensor> amount, String what) {
        long sum = 0;
        for (GgufTensor tensor : tensors.values()) {
            sum += amount.applyAsLong(tensor);
            if (sum < 0) {
                throw new MalformedDataException(parts.getFirst().file() + ": tensor '" + Printable.brief(tensor.name())
                        + "' takes the model past the " + what + " that a signed number of 64 bits can count");
            }
        }
        return sum;
    }

    /**
     * Reads what a model says of itself. Of a split model any part may be named; all of them must be there, at least
     * with their heads.
     *
     * @throws MalformedDataException if a file is missing or is not a GGUF file, or the parts do not belong together
     */
    public static GgufContents read(Path file) {
        List<OpenFile> files = new ArrayList<>();
        try {
            return read(file, files);
        } finally {
            closeAll(files);
        }
    }

    /** As {@link #read(Path)}, and leaves the files open, in the order of the parts; also where it fails. */
    static GgufContents read(Path file, List<OpenFile> files) {
        GgufHeader named = open(file, files, 0);
        GgufMetadata metadata = named.metadata();
        long count = metadata.whole(SPLIT_COUNT, 1);
        if (count == 1) {
            return new GgufContents(List.of(named));
        }
        SplitName name = splitName(file, metadata, count);
        closeAll(files);
        files.clear();
        List<GgufHeader> parts = new ArrayList<>();
        for (int part = 0; part < name.count(); part++) {
            Path partFile = name.sibling(file, part);
            GgufHeader header = openPart(partFile, file, files, part);
            requireSplit(header, part, name.count());
            parts.add(header);
        }
        files.forEach(GgufContents::requireNotReplaced);
        GgufContents contents = new GgufContents(parts);
        contents.requireAllTensors();
        return contents;
    }

    private static GgufHeader open(Path file, List<OpenFile> files, int part) {
        OpenFile opened = GgufHeader.open(file);
        files.add(opened);
        try {
            return GgufHeader.read(opened, part);
        } catch (IOException e) {
            throw new MalformedDataException(file + " cannot be read: " + e, e);
        }
    }

    private static GgufHeader openPart(Path partFile, Path named, List<OpenFile> files, int part) {
        if (!Files.exists(partFile)) {
            throw new MalformedDataException(
                    named + " is part of a split model, of which part " + (part + 1) + " is missing: " + partFile);
        }
        return open(partFile, files, part);
    }

    /** Every part is open once this is asked, so that those which pass were all at their paths at one moment. */
    static void requireNotReplaced(OpenFile part) {
        try {
            if (!part.isStillAtItsPath()) {
                throw new MalformedDataException(part.path()
                        + " was replaced while the parts of its model were opened, which may now be of two models: open"
                        + " it again once all of them are in place");
            }
        } catch (IOException e) {
            throw new MalformedDataException(part.path() + " cannot be read: " + e, e);
        }
    }

    private static SplitName splitName(Path file, GgufMetadata metadata, long count) {
        SplitName name = SplitName.of(file)
                .orElseThrow(() -> new MalformedDataException(file + " is one of " + count
                        + " parts of a split model by its key '" + SPLIT_COUNT
                        + "', but its name does not end like -00001-of-00002.gguf: rename it"));
        if (name.count() != count || name.number() != metadata.whole(SPLIT_NUMBER)) {
            throw new MalformedDataException(file + " is part " + (metadata.whole(SPLIT_NUMBER) + 1) + " of " + count
                    + " by its metadata, and part " + (name.number() + 1) + " of " + name.count() + " by its name");
        }
        return name;
    }

    private static void requireSplit(GgufHeader header, int part, int count) {
        long number = header.metadata().whole(SPLIT_NUMBER);
        long countHere = header.metadata().whole(SPLIT_COUNT);
        if (number != part || countHere != count) {
            throw new MalformedDataException(header.file() + " is part " + (number + 1) + " of " + countHere
                    + " by its metadata, and part " + (part + 1) + " of " + count + " by its name");
        }
    }

    private void requireAllTensors() {
        long claimed = metadata().whole(SPLIT_TENSORS, tensors.size());
        if (claimed != tensors.size()) {
            throw new MalformedDataException(parts.getFirst().file() + ": key '" + SPLIT_TENSORS + "' says " + claimed
                    + " tensors, but the " + parts.size() + " parts have " + tensors.size());
        }
    }

    private static SequencedMap<String, GgufTensor> collect(List<GgufHeader> parts) {
        SequencedMap<String, GgufTensor> byName = new LinkedHashMap<>();
        for (GgufHeader part : parts) {
            for (GgufTensor tensor : part.tensors()) {
                GgufTensor before = byName.putIfAbsent(tensor.name(), tensor);
                if (before != null) {
                    throw new MalformedDataException(part.file() + ": tensor '" + Printable.brief(tensor.name())
                            + "' is also in " + parts.get(before.part()).file());
                }
            }
        }
        return byName;
    }

    static void closeAll(List<OpenFile> files) {
        files.forEach(OpenFile::close);
    }

    /** The files, in order; a model that is not split has one. */
    public List<GgufHeader> parts() {
        return parts;
    }

    /** The metadata: that of the first file. */
    public GgufMetadata metadata() {
        return parts.getFirst().metadata();
    }

    /** All tensors by name, in the order of the files. */
    public SequencedMap<String, GgufTensor> tensors() {
        return tensors;
    }

    /** A tensor by name, if there is one. */
    public Optional<GgufTensor> find(String name) {
        return Optional.ofNullable(tensors.get(name));
    }

    /**
     * A tensor by name.
     *
     * @throws MalformedDataException if there is none
     */
    public GgufTensor tensor(String name) {
        return find(name)
                .orElseThrow(
                        () -> new MalformedDataException(parts.getFirst().file() + " has no tensor '" + name + "'"));
    }

    /** How many numbers all tensors have together. */
    public long parameters() {
        return parameters;
    }

    /** The bytes of the data of all tensors. */
    public long byteSize() {
        return byteSize;
    }

    /**
     * Checks that the files had the data of all tensors when they were read.
     *
     * @throws MalformedDataException if not; the message names the first tensor that is missing
     */
    public void requireData() {
        parts.forEach(GgufHeader::requireData);
    }
}
