/**
 * Where the time of runs goes. Both classes for callers are {@link dev.stowage.device.RunListener}s: {@link
 * dev.stowage.profile.RunProfile} sums up by op and by split, {@link dev.stowage.profile.ChromeTrace} keeps every span
 * and writes a file for a trace viewer.
 */
package dev.stowage.profile;
