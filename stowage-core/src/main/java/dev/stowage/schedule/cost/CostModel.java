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
 * The time of computing and copying: a rate per device and kind of work, and one per link between two devices. Stated
 * by hand, or measured by a {@link Calibration} and saved. Immutable.
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

    /** The general rate of a device, and the rates of special kinds of work. */
    record DeviceRates(OpRate general, Map<WorkKind, OpRate> special) {}

    /** A link. */
    record Pair(String from, String to) {}

    CostModel(Map<String, DeviceRates> devices, Map<Pair, LinkRate> links) {
        this.devices = Collections.unmodifiableMap(new LinkedHashMap<>(devices));
        this.links = Collections.unmodifiableMap(new LinkedHashMap<>(links));
    }

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
     * The rate of a device for a kind of work.
     *
     * @throws InvalidPlanException if nothing is known about the device
     */
    public OpRate rate(String device, WorkKind kind) {
        DeviceRates known = devices.get(device);
        if (known == null) {
            throw new InvalidPlanException("the costs of device '" + device + "' are not known, only those of "
                    + devices.keySet() + ": state them, or measure them with a Calibration");
        }
        return known.special().getOrDefault(kind, known.general());
    }

    /**
     * The rate of a link. Without a direct link, the fastest route over a third device.
     *
     * @throws InvalidPlanException if no such link is known
     */
    public LinkRate link(String from, String to) {
        return Optional.ofNullable(links.get(new Pair(from, to)))
                .or(() -> detour(from, to))
                .orElseThrow(() -> new InvalidPlanException("no link from device '" + from + "' to '" + to
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

    /** The time of a node on a device; 0 for views and leaves. */
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
     * Reads the JSON of {@link #toJson}.
     *
     * @throws MalformedDataException if it is malformed; the message says where and why
     */
    public static CostModel fromJson(String json) {
        return CostModelJson.read(json);
    }

    /**
     * Writes the model to a file, replacing it.
     *
     * @throws IOException if the file cannot be written
     */
    public void save(Path file) throws IOException {
        Files.writeString(file, toJson());
    }

    /**
     * Reads a model from a file that {@link #save} wrote.
     *
     * @throws MalformedDataException if the file is malformed
     * @throws IOException if the file cannot be read
     */
    public static CostModel load(Path file) throws IOException {
        try {
            return fromJson(Files.readString(file));
        } catch (CharacterCodingException e) {
            throw new MalformedDataException(file + " is not a text file: it cannot hold the costs of devices", e);
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

    /** Collects rates; later ones replace earlier ones. */
    public static final class Builder {

        private final Map<String, DeviceRates> devices = new LinkedHashMap<>();
        private final Map<Pair, LinkRate> links = new LinkedHashMap<>();

        private Builder() {}

        /** The general rate of a device. */
        public Builder device(String name, OpRate general) {
            DeviceRates before = devices.get(name);
            devices.put(name, new DeviceRates(general, before == null ? Map.of() : before.special()));
            return this;
        }

        /** The rate of a device for one kind of work, and for all others if none is given. */
        public Builder device(String name, WorkKind kind, OpRate rate) {
            DeviceRates before = devices.getOrDefault(name, new DeviceRates(rate, Map.of()));
            Map<WorkKind, OpRate> special = new EnumMap<>(WorkKind.class);
            special.putAll(before.special());
            special.put(kind, rate);
            devices.put(name, new DeviceRates(before.general(), Collections.unmodifiableMap(special)));
            return this;
        }

        /** The rate of a link in both directions. */
        public Builder link(String one, String other, LinkRate rate) {
            return linkTo(one, other, rate).linkTo(other, one, rate);
        }

        /** The rate of a link in one direction. */
        public Builder linkTo(String from, String to, LinkRate rate) {
            links.put(new Pair(from, to), rate);
            return this;
        }

        public CostModel build() {
            return new CostModel(devices, links);
        }
    }
}
