package dev.stowage.cuda.compile;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the parameters of kernels from PTX, where macros and templates have been resolved. */
final class PtxSignatures {

    private static final Pattern ENTRY = Pattern.compile("\\.entry\\s+(\\w+)\\s*\\(([^)]*)\\)");
    private static final Pattern PARAMETER = Pattern.compile(
            "\\.param\\s+(?:\\.align\\s+(\\d+)\\s+)?\\.(\\w+)(\\s+\\.ptr(?:\\s+\\.\\w+)*(?:\\s+\\.align\\s+\\d+)?)?\\s+\\w+(?:\\[(\\d+)])?");

    private PtxSignatures() {}

    /** For every kernel its name and the types of its parameters, as {@code ParameterType} calls them. */
    static List<String> of(String ptx) {
        List<String> lines = new ArrayList<>();
        Matcher entry = ENTRY.matcher(ptx);
        while (entry.find()) {
            List<String> types = new ArrayList<>();
            Matcher parameter = PARAMETER.matcher(entry.group(2));
            while (parameter.find()) {
                types.add(type(entry.group(1), parameter));
            }
            lines.add(entry.group(1) + " " + String.join(",", types));
        }
        return lines;
    }

    private static String type(String kernel, Matcher parameter) {
        if (parameter.group(3) != null) {
            return "POINTER";
        }
        return switch (parameter.group(2)) {
            case "u64", "s64", "b64" -> "I64";
            case "u32", "s32", "b32" -> "I32";
            case "f32" -> "F32";
            case "b8" -> struct(kernel, Integer.parseInt(parameter.group(4)));
            default -> throw unknown(kernel, parameter.group());
        };
    }

    private static String struct(String kernel, int bytes) {
        return switch (bytes) {
            case 72 -> "VIEW";
            case 128 -> "TENSOR_MAP";
            default -> throw unknown(kernel, "a struct of " + bytes + " bytes");
        };
    }

    private static IllegalArgumentException unknown(String kernel, String parameter) {
        return new IllegalArgumentException("kernel " + kernel + " has a parameter that launches cannot pass: "
                + parameter.strip() + "; pointers, int, long long, float, View and TensorMap are possible");
    }
}
