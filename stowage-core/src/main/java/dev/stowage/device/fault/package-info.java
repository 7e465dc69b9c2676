/** Drivers of real hardware whose calls fail on purpose. Exported to the modules that check with it; not an API. */
package dev.stowage.device.fault;
