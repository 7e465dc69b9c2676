package dev.stowage.cuda.program;

/** Where op kernels put the launches of a node. */
public interface LaunchSink {

    /** The device the program is for. */
    Gpu gpu();

    /** Scratch memory, aligned to 256 bytes. */
    Scratch scratch(long bytes);

    /** Adds a launch after those added before. */
    void add(Launch launch);

    /** Sets bytes of scratch memory to a value, after the launches added before. */
    void fill(Scratch scratch, long bytes, byte value);

    /** What the launches of this program have made of tensors. */
    DerivedForms derived();
}
