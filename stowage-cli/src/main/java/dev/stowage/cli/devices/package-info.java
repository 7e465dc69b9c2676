/** {@code stowage devices}: which devices are available. */
package dev.stowage.cli.devices;
