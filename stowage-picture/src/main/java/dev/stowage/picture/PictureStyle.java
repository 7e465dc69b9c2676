package dev.stowage.picture;

/**
 * The style sheet shared by SVG pictures, in light and dark; each picture adds its own. Needed memory is a solid line,
 * the lower bound a dashed one.
 */
public final class PictureStyle {

    private static final String LIGHT = """
            svg { background: #ffffff; } text { font: 12px system-ui, sans-serif; fill: #1b2430; }
            .page { fill: #ffffff; } .ground { fill: #f3f4f6; stroke: #d9dde3; } .grid { stroke: #dfe3e8; }
            .quiet { font-size: 11px; fill: #566171; } .right { text-anchor: end; } .middle { text-anchor: middle; }
            .title { font-weight: 650; } .label { font-size: 10.5px; fill: #0a1420; pointer-events: none; }
            .block { stroke: #f3f4f6; stroke-width: 0.6; }
            .block:hover { stroke: #1b2430; stroke-width: 2; }
            .plan { stroke: #b3261e; } text.plan { stroke: none; fill: #b3261e; font-weight: 600; }
            .bound { stroke: #6d28a8; } text.bound { stroke: none; fill: #6d28a8; font-weight: 600; }
            .plan, .bound { stroke-width: 1.5; pointer-events: none; } .bound { stroke-dasharray: 6 4; }
            .peak { stroke-dasharray: 2 4; }
            .plate { fill: #ffffff; fill-opacity: 0.9; pointer-events: none; }
            """;

    private static final String DARK = """
            svg { background: #171c24; }
            text { fill: #e7ebf1; } .page, .plate { fill: #171c24; } .ground { fill: #0f1319; stroke: #2f3845; }
            .grid { stroke: #222933; } .quiet { fill: #a2adbd; } .label { fill: #0a1420; }
            .block { stroke: #0f1319; } .block:hover { stroke: #e7ebf1; }
            .plan { stroke: #ff8a80; } text.plan { fill: #ff8a80; }
            .bound { stroke: #cfa4f8; } text.bound { fill: #cfa4f8; }
            """;

    private PictureStyle() {}

    /** The element with the common rules and some more, which may have others where the reader wants it dark. */
    public static String sheet(String light, String dark) {
        return "<style>\n" + LIGHT + light + "@media (prefers-color-scheme: dark) {\n" + DARK + dark + "}\n</style>\n";
    }
}
