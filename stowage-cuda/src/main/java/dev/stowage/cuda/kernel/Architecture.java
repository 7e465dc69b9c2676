package dev.stowage.cuda.kernel;

/** The architectures there is compiled code for, and the PTX that later ones compile when they load it. */
enum Architecture {
    SM_80("sm_80", ".cubin.gz"),
    SM_89("sm_89", ".cubin.gz"),
    SM_90A("sm_90a", ".cubin.gz"),
    PTX("ptx", ".ptx.gz");

    private final String folder;
    private final String ending;

    Architecture(String folder, String ending) {
        this.folder = folder;
        this.ending = ending;
    }

    /** The code for a compute capability, 90 for 9.0. */
    static Architecture of(int capability) {
        return switch (capability) {
            case 80, 86, 87 -> SM_80;
            case 89 -> SM_89;
            case 90 -> SM_90A;
            default -> PTX;
        };
    }

    String folder() {
        return folder;
    }

    String ending() {
        return ending;
    }
}
