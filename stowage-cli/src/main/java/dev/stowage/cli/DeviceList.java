package dev.stowage.cli;

import java.util.List;

/**
 * The devices of a machine that exists only on paper, in order of priority. The last one is the processor: the tokens
 * come in there, and what no other device takes is computed there.
 */
record DeviceList(List<DeviceSpec> devices) {
    DeviceList {
        devices = List.copyOf(devices);
    }

    int count() {
        return devices.size();
    }

    /** The number of the processor. */
    int last() {
        return devices.size() - 1;
    }

    DeviceSpec get(int number) {
        return devices.get(number);
    }
}
