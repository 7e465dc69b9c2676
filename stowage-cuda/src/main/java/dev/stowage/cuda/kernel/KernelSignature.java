package dev.stowage.cuda.kernel;

import java.util.List;

/**
 * A kernel as its source declares it, recorded when the sources are compiled.
 *
 * @param name its name, unique among all kernels
 * @param file the source file without ending, which is also the name of the compiled module
 * @param parameters the types of its parameters, in order
 */
public record KernelSignature(String name, String file, List<ParameterType> parameters) {

    public KernelSignature {
        parameters = List.copyOf(parameters);
    }
}
