package dev.stowage.cpu.kernel.window;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.PanelKernels;

/**
 * Lays out the elements under a sliding kernel: by taps, as columns of a product, or by places, as rows. Taps are counted
 * along the width first, then height, depth and channels; the padding is zero.
 */
public final class Im2colKernels {

    /** Positions whose rows are filled together: few enough for all of them to stay in the nearest cache. */
    private static final int POSITIONS = 8;

    private Im2colKernels() {}

    /**
     * Writes, for some taps, the elements under each at some places: {@code width} floats for each tap, of which
     * those after the last place are zero.
     */
    public static void pack(
            WindowGeometry g, long image, long place, int places, long tap, int taps, long panel, int width) {
        long layer = g.x().positions() * g.y().positions();
        long z = place / layer;
        long y = place % layer / g.x().positions();
        long x = place % g.x().positions();
        for (int i = 0; i < taps; i++) {
            long row = panel + (long) i * width * 4;
            packTap(g, image, tap + i, x, y, z, places, row);
            PanelKernels.zero(row + places * 4L, width - places);
        }
    }

    private static void packTap(WindowGeometry g, long image, long tap, long x, long y, long z, int places, long to) {
        long kx = tap % g.x().size();
        long ky = tap / g.x().size() % g.y().size();
        long kz = tap / (g.x().size() * g.y().size()) % g.z().size();
        long channel = tap / (g.x().size() * g.y().size() * g.z().size());
        long from = image + channel * g.channelStride();
        long first = g.x().firstInside(kx);
        long end = g.x().endInside(kx);
        long step = g.x().stride() * 4;
        long left = places;
        long at = to;
        long cx = x;
        long cy = y;
        long cz = z;
        while (left > 0) {
            long count = Math.min(left, g.x().positions() - cx);
            long iy = g.y().under(cy, ky);
            long iz = g.z().under(cz, kz);
            long a = Math.clamp(first, cx, cx + count);
            long b = Math.clamp(end, a, cx + count);
            if (iy < 0 || iy >= g.y().input() || iz < 0 || iz >= g.z().input()) {
                PanelKernels.zero(at, count);
            } else {
                long source = from + iz * g.z().bytes() + iy * g.y().bytes() + g.x().under(a, kx) * 4;
                PanelKernels.zero(at, a - cx);
                take(source, step, at + (a - cx) * 4, b - a);
                PanelKernels.zero(at + (b - cx) * 4, cx + count - b);
            }
            left -= count;
            at += count * 4;
            cx = 0;
            cy++;
            if (cy == g.y().positions()) {
                cy = 0;
                cz++;
            }
        }
    }

    private static void take(long from, long step, long to, long count) {
        if (step == 4) {
            PanelKernels.copy(from, to, count);
        } else {
            for (long i = 0; i < count; i++) {
                Memory.setFloat(to + i * 4, Memory.getFloat(from + i * step));
            }
        }
    }

    /** Writes the rows of all places of one line of an image, as floats. */
    public static void rows(WindowGeometry g, long image, long y, long z, long to) {
        long bytesPerRow = g.taps() * 4;
        for (int first = 0; first < g.x().positions(); first += POSITIONS) {
            int end = (int) Math.min(g.x().positions(), first + POSITIONS);
            long at = to;
            for (long channel = 0; channel < g.channels(); channel++) {
                for (long kz = 0; kz < g.z().size(); kz++) {
                    for (long ky = 0; ky < g.y().size(); ky++) {
                        long line = line(g, image, channel, g.y().under(y, ky), g.z().under(z, kz));
                        line(g.x(), line, first, end, at, bytesPerRow);
                        at += g.x().size() * 4;
                    }
                }
            }
        }
    }

    /** {@link #rows} as f16. */
    public static void halfRows(WindowGeometry g, long image, long y, long z, long to) {
        long bytesPerRow = g.taps() * 2;
        for (int first = 0; first < g.x().positions(); first += POSITIONS) {
            int end = (int) Math.min(g.x().positions(), first + POSITIONS);
            long at = to;
            for (long channel = 0; channel < g.channels(); channel++) {
                for (long kz = 0; kz < g.z().size(); kz++) {
                    for (long ky = 0; ky < g.y().size(); ky++) {
                        long line = line(g, image, channel, g.y().under(y, ky), g.z().under(z, kz));
                        halfLine(g.x(), line, first, end, at, bytesPerRow);
                        at += g.x().size() * 2;
                    }
                }
            }
        }
    }

    /**
     * Puts the elements under one row of the kernel at some positions of a line into their rows; zeros if the line is 0.
     */
    private static void line(WindowGeometry.Axis x, long line, int firstPosition, int end, long to, long bytesPerRow) {
        int taps = (int) x.size();
        long step = x.dilation() * 4;
        for (int position = firstPosition; position < end; position++) {
            long row = to + position * bytesPerRow;
            long first = x.under(position, 0);
            long from = line + first * 4;
            if (line != 0 && first >= 0 && first + (taps - 1) * x.dilation() < x.input()) {
                int tap = 0;
                for (; tap + 3 <= taps; tap += 3) {
                    long place = row + tap * 4L;
                    long source = from + tap * step;
                    Memory.setFloat(place, Memory.getFloat(source));
                    Memory.setFloat(place + 4, Memory.getFloat(source + step));
                    Memory.setFloat(place + 8, Memory.getFloat(source + 2 * step));
                }
                for (; tap < taps; tap++) {
                    Memory.setFloat(row + tap * 4L, Memory.getFloat(from + tap * step));
                }
            } else {
                for (int tap = 0; tap < taps; tap++) {
                    long element = first + tap * x.dilation();
                    boolean inside = line != 0 && element >= 0 && element < x.input();
                    Memory.setFloat(row + tap * 4L, inside ? Memory.getFloat(line + element * 4) : 0f);
                }
            }
        }
    }

    /** {@link #line(WindowGeometry.Axis, long, int, int, long, long)} as f16. */
    private static void halfLine(
            WindowGeometry.Axis x, long line, int firstPosition, int end, long to, long bytesPerRow) {
        int taps = (int) x.size();
        long step = x.dilation() * 4;
        for (int position = firstPosition; position < end; position++) {
            long row = to + position * bytesPerRow;
            long first = x.under(position, 0);
            long from = line + first * 4;
            if (line != 0 && first >= 0 && first + (taps - 1) * x.dilation() < x.input()) {
                int tap = 0;
                for (; tap + 3 <= taps; tap += 3) {
                    long place = row + tap * 2L;
                    long source = from + tap * step;
                    Memory.setHalf(place, Memory.getFloat(source));
                    Memory.setHalf(place + 2, Memory.getFloat(source + step));
                    Memory.setHalf(place + 4, Memory.getFloat(source + 2 * step));
                }
                for (; tap < taps; tap++) {
                    Memory.setHalf(row + tap * 2L, Memory.getFloat(from + tap * step));
                }
            } else {
                for (int tap = 0; tap < taps; tap++) {
                    long element = first + tap * x.dilation();
                    boolean inside = line != 0 && element >= 0 && element < x.input();
                    Memory.setHalf(row + tap * 2L, inside ? Memory.getFloat(line + element * 4) : 0f);
                }
            }
        }
    }

    /** Where a line of an image begins, or 0 if it is in the padding. */
    private static long line(WindowGeometry g, long image, long channel, long iy, long iz) {
        if (iy < 0 || iy >= g.y().input() || iz < 0 || iz >= g.z().input()) {
            return 0;
        }
        return image + channel * g.channelStride() + iz * g.z().bytes() + iy * g.y().bytes();
    }
}
