package dev.stowage.device;

import dev.stowage.error.DeviceException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/**
 * The devices of this machine, from all providers. A provider that cannot be used, or that fails when queried, is
 * listed with the reason and brings no devices; it never keeps the others from being found.
 *
 * <p>The system property {@value #PROVIDERS_PROPERTY} chooses among providers by name: {@code cpu,reference} takes only
 * those, {@code -cuda} takes all but that one.
 *
 * <p>Thread-safe.
 */
public final class DeviceRegistry implements AutoCloseable {

    /** The system property that chooses among providers. */
    public static final String PROVIDERS_PROPERTY = "stowage.providers";

    private final ProviderChoice choice;
    private final List<BackendProvider> registered = new ArrayList<>();
    private final List<ProviderStatus> providers = new ArrayList<>();

    private DeviceRegistry(ProviderChoice choice) {
        this.choice = choice;
    }

    /** The providers that {@link ServiceLoader} finds, chosen by the system property. */
    public static DeviceRegistry load() {
        DeviceRegistry registry = empty();
        Iterator<BackendProvider> found =
                ServiceLoader.load(BackendProvider.class).iterator();
        while (registry.registerNext(found)) {
            // the work is in the condition: a broken provider must not end the search
        }
        return registry;
    }

    /** No providers at all, to be filled in code; the system property still applies. */
    public static DeviceRegistry empty() {
        return new DeviceRegistry(ProviderChoice.parse(System.getProperty(PROVIDERS_PROPERTY, "")));
    }

    private boolean registerNext(Iterator<BackendProvider> found) {
        try {
            if (!found.hasNext()) {
                return false;
            }
            register(found.next());
        } catch (ServiceConfigurationError e) {
            add(new ProviderStatus(
                    "unknown",
                    "",
                    Availability.unavailable("a provider could not be loaded: " + e.getMessage()),
                    List.of()));
        }
        return true;
    }

    /** Adds a provider and asks it for its devices; returns this registry. */
    public DeviceRegistry register(BackendProvider provider) {
        ProviderStatus status = query(provider);
        synchronized (this) {
            registered.add(provider);
            providers.add(status);
        }
        return this;
    }

    /**
     * Asks all providers again what there is: devices that have been lost are left out, and those that are there again
     * are found. Devices that were found before and are still there stay the same objects.
     */
    public synchronized DeviceRegistry refresh() {
        providers.removeIf(status ->
                registered.stream().anyMatch(provider -> provider.name().equals(status.name())));
        registered.forEach(provider -> providers.add(query(provider)));
        return this;
    }

    /** Closes the providers, and with them their devices; backends and buffers must be closed before. */
    @Override
    public synchronized void close() {
        registered.forEach(BackendProvider::close);
        registered.clear();
        providers.clear();
    }

    private synchronized void add(ProviderStatus status) {
        providers.add(status);
    }

    private ProviderStatus query(BackendProvider provider) {
        String name = provider.name();
        if (!choice.allows(name)) {
            return unavailable(provider, "left out by the system property " + PROVIDERS_PROPERTY);
        }
        try {
            Availability availability = provider.probe();
            List<Device> devices = availability.isAvailable() ? present(provider) : List.of();
            return new ProviderStatus(name, provider.version(), availability, devices);
        } catch (RuntimeException | LinkageError e) {
            return unavailable(provider, "it failed when asked for devices: " + e);
        }
    }

    private static List<Device> present(BackendProvider provider) {
        return provider.devices().stream()
                .filter(device -> device.lossCause().isEmpty())
                .map(Device.class::cast)
                .toList();
    }

    private static ProviderStatus unavailable(BackendProvider provider, String reason) {
        return new ProviderStatus(provider.name(), provider.version(), Availability.unavailable(reason), List.of());
    }

    /** The status of every provider, in the order of registration. */
    public synchronized List<ProviderStatus> providers() {
        return List.copyOf(providers);
    }

    /** All devices of all providers. */
    public List<Device> devices() {
        return providers().stream()
                .map(ProviderStatus::devices)
                .flatMap(Collection::stream)
                .toList();
    }

    /** All devices of one type; those of {@linkplain Device#isLastResort() last resort} after the others. */
    public List<Device> devices(DeviceType type) {
        return devices().stream()
                .filter(device -> device.type() == type)
                .sorted(Comparator.comparing(Device::isLastResort))
                .toList();
    }

    /**
     * The device of that name, upper or lower case.
     *
     * @throws DeviceException if there is none; the message lists those there are, and what is missing and why
     */
    public Device device(String name) {
        return devices().stream()
                .filter(device -> device.name().equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow(() -> DeviceException.of(name, "lookup", missing()));
    }

    /** The default device: a GPU, else an integrated one, an accelerator, the processor. */
    public Optional<Device> best() {
        return Arrays.stream(new DeviceType[] {
                    DeviceType.GPU, DeviceType.INTEGRATED_GPU, DeviceType.ACCELERATOR, DeviceType.CPU
                })
                .map(this::devices)
                .flatMap(Collection::stream)
                .findFirst();
    }

    private String missing() {
        String there = devices().stream().map(Device::name).collect(Collectors.joining(", "));
        String absent = providers().stream()
                .filter(status -> !status.availability().isAvailable())
                .map(status -> status.name() + " (" + status.availability().reason() + ")")
                .collect(Collectors.joining("; "));
        return "there is no such device; there are: " + (there.isEmpty() ? "none" : there)
                + (absent.isEmpty() ? "" : String.format(Locale.ROOT, "; not available: %s", absent));
    }
}
