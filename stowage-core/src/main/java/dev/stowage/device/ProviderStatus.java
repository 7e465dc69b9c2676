package dev.stowage.device;

import java.util.List;

/**
 * What a registry learned about a provider.
 *
 * @param name the provider's name
 * @param version its version
 * @param availability whether it can be used, and why not
 * @param devices its devices; empty where it cannot be used
 */
public record ProviderStatus(String name, String version, Availability availability, List<Device> devices) {

    public ProviderStatus {
        devices = List.copyOf(devices);
    }
}
