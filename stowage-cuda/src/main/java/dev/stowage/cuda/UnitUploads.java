package dev.stowage.cuda;

import dev.stowage.cuda.driver.Driver.Stream;
import dev.stowage.cuda.memory.DeviceContext;
import dev.stowage.cuda.memory.RepackedBuffer;
import dev.stowage.cuda.memory.unit.UnitLayout;
import dev.stowage.cuda.memory.unit.UnitPacking;
import dev.stowage.cuda.program.ScratchPool;
import dev.stowage.memory.BoundTensor;
import java.lang.foreign.MemorySegment;

/**
 * Writes whole rows of weights that are stored in units in the order of a stream: the rows go to staging memory of the
 * GPU, and a kernel packs them from there. As both are in one stream, the next rows can use the same staging memory.
 */
final class UnitUploads implements AutoCloseable {

    private final CudaDevice device;
    private final Stream stream;
    private final StreamTransfers transfers;
    private final ScratchPool staging;

    UnitUploads(CudaDevice device, Stream stream, StreamTransfers transfers) {
        this.device = device;
        this.stream = stream;
        this.transfers = transfers;
        this.staging = new ScratchPool(device.context(), stream);
    }

    /** Whether bytes of a tensor are whole rows in units of this GPU. */
    boolean accepts(BoundTensor tensor, long offset, long bytes) {
        if (!(tensor.buffer() instanceof RepackedBuffer buffer)
                || !buffer.context().equals(device.context())
                || tensor.tensor().isView()) {
            return false;
        }
        long rowBytes = RepackedBuffer.layout(tensor).rowBytes();
        return bytes > 0 && offset % rowBytes == 0 && bytes % rowBytes == 0;
    }

    /** Submits the writing of rows. */
    void write(BoundTensor tensor, long offset, MemorySegment source) {
        UnitLayout layout = RepackedBuffer.layout(tensor);
        DeviceContext context = device.context();
        long rows = staging.reserve(source.byteSize());
        transfers.write(rows, source);
        long units = ((RepackedBuffer) tensor.buffer()).deviceAddress() + tensor.offset();
        UnitPacking.pack(layout, units, rows, offset / layout.rowBytes(), source.byteSize() / layout.rowBytes())
                .enqueue(context.driver(), context.handle(), device.kernels(), stream);
    }

    /** Releases the staging memory; the stream is done. */
    @Override
    public void close() {
        staging.close();
    }
}
