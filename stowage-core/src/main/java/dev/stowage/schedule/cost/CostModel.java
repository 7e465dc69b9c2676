package dev.stowage.schedule.cost;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.tensor.Tensor;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What computing and copying take: a rate for every device, by name, and kind of work, and one for every link between
 * two devices. Stated by hand, or measured by a {@link Calibration} and kept in a file. Immutable.
 *
 * {@snippet :
 * CostModel costs = CostModel.builder()
 *         .device("gpu0", OpRate.of(20e12, 1e12).withNanosPerNode(3000))
 *         .device("cpu", OpRate.of(0.5e12, 50e9))
 *         .link("gpu0", "cpu", LinkRate.of(12e9).withLatencyNanos(10_000))
 *         .build();
 * ScheduleOptions options = ScheduleOptions.defaults().withPlacement(Placement.cost(costs));
 * }
 */
public final class CostModel {

    private final Map<String, DeviceRates> devices;
    private final Map<Pair, LinkRate> links;

    /** What a device does: its rate for anything, and those for kinds of work that differ. */
    record DeviceRates(OpRate general, Map<WorkKind, OpRate> special) {

        OpRate rate(WorkKind kind) {
            return special.getOrDefault(kind, general);
        }
    }

    /** Two devices and the way between them. */
    record Pair(String from, String to) {}

    CostModel(Map<String, DeviceRates> devices, Map<Pair, LinkRate> links) {
        this.devices = Collections.unmodifiableMap(new LinkedHashMap<>(devices));
        this.links = Collections.unmodifiableMap(new LinkedHashMap<>(links));
    }

    /** Starts a model in which nothing is known yet. */
    public static Builder builder() {
        return new Builder();
    }

    Map<String, DeviceRates> devices() {
        return devices;
    }

    Map<Pair, LinkRate> links() {
        return links;
    }

    /**
     * How fast a device does a kind of work.
     *
     * @throws InvalidPlanException if nothing is known about the device
     */
    public OpRate rate(String device, WorkKind kind) {
        DeviceRates known = devices.get(device);
        if (known == null) {
            throw new InvalidPlanException("the costs of device '" + device + "' are not known, only those of "
                    + devices.keySet() + ": state them, or measure them with a Calibration");
        }
        return known.rate(kind);
    }

    /**
     * How fast bytes get from one device to another. Where no link was stated for the two, they go over the quickest third
     * device that has one to both.
     *
     * @throws InvalidPlanException if no such link is known
     */
    public LinkRate link(String from, String to) {
        LinkRate direct = links.get(new Pair(from, to));
        return direct != null
                ? direct
                : detour(from, to)
                        .orElseThrow(
                                () -> new InvalidPlanException(
                                        "no link from device '" + from + "' to '" + to
                                                + "' is known, and none over another device: state one, or measure it with a Calibration"));
    }

    private Optional<LinkRate> detour(String from, String to) {
        @Nullable LinkRate best = null;
        for (String over : devices.keySet()) {
            LinkRate first = links.get(new Pair(from, over));
            LinkRate second = links.get(new Pair(over, to));
            if (first != null && second != null) {
                LinkRate both = first.then(second);
                if (best == null || both.bytesPerSecond() > best.bytesPerSecond()) {
                    best = both;
                }
            }
        }
        return Optional.ofNullable(best);
    }

    /** What it takes a device to compute a node; nothing for what has no op or only gives bytes another form. */
    public long nanos(String device, Tensor node) {
        if (node.isLeaf() || node.op().isViewOp() || node.shape().isEmpty()) {
            return 0;
        }
        return Math.round(rate(device, WorkKind.of(node.op())).nanos(NodeWork.of(node)));
    }

    /** As JSON, for {@link #fromJson}. */
    public String toJson() {
        return CostModelJson.write(this);
    }

    /**
     * Reads a model that {@link #toJson} wrote, or that was written by hand in the same form.
     *
     * @throws MalformedDataException if it is none; the message says where and why
     */
    public static CostModel fromJson(String json) {
        return CostModelJson.read(json);
    }

    /**
     * Writes the model to a file, over what is there.
     *
     * @throws IOException if the file cannot be written
     */
    public void save(Path file) throws IOException {
        Files.writeString(file, toJson());
    }

    /**
     * Reads a model from a file that {@link #save} wrote.
     *
     * @throws MalformedDataException if the file holds none
     * @throws IOException if the file cannot be read
     */
    public static CostModel load(Path file) throws IOException {
        try {
            return fromJson(Files.readString(file));
        } catch (CharacterCodingException e) {
            throw new MalformedDataException(file + " is no text: it cannot hold the costs of devices", e);
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof CostModel model && devices.equals(model.devices) && links.equals(model.links);
    }

    @Override
    public int hashCode() {
        return 31 * devices.hashCode() + links.hashCode();
    }

    @Override
    public String toString() {
        return "CostModel[" + String.join(", ", devices.keySet()) + "]";
    }

    /** Collects what is known about devices and links. What is said later goes. */
    public static final class Builder {

        private final Map<String, DeviceRates> devices = new LinkedHashMap<>();
        private final Map<Pair, LinkRate> links = new LinkedHashMap<>();

        private Builder() {}

        /** How fast a device does whatever has no rate of its own. */
        public Builder device(String name, OpRate general) {
            DeviceRates before = devices.get(name);
            devices.put(name, new DeviceRates(general, before == null ? Map.of() : before.special()));
            return this;
        }

        /** How fast a device does one kind of work; without more, all others too. */
        public Builder device(String name, WorkKind kind, OpRate rate) {
            DeviceRates before = devices.getOrDefault(name, new DeviceRates(rate, Map.of()));
            Map<WorkKind, OpRate> special = new EnumMap<>(WorkKind.class);
            special.putAll(before.special());
            special.put(kind, rate);
            devices.put(name, new DeviceRates(before.general(), Collections.unmodifiableMap(special)));
            return this;
        }

        /** How fast bytes get from one device to another, and back. */
        public Builder link(String one, String other, LinkRate rate) {
            return linkTo(one, other, rate).linkTo(other, one, rate);
        }

        /** How fast bytes get from one device to another. */
        public Builder linkTo(String from, String to, LinkRate rate) {
            links.put(new Pair(from, to), rate);
            return this;
        }

        public CostModel build() {
            return new CostModel(devices, links);
        }
    }
}
