package volition.executor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/** A file on a disk that fails from one of the calls that change it on, in the middle of a line; {@code repair} mends it. */
final class FailingChannel extends FileChannel {
    private final FileChannel file;
    private final long failsAt;
    private final boolean lasting;
    private boolean repaired;
    /** How many calls have changed the file, or tried to. */
    long calls;

    FailingChannel(FileChannel file, long failsAt, boolean lasting) {
        this.file = file;
        this.failsAt = failsAt;
        this.lasting = lasting;
    }

    void repair() {
        repaired = true;
    }

    private boolean fails() {
        calls++;
        return !repaired && (lasting ? calls >= failsAt : calls == failsAt);
    }

    private void check() throws IOException {
        if (fails()) {
            throw new IOException("No space left on device");
        }
    }

    @Override
    public int write(ByteBuffer bytes, long at) throws IOException {
        if (!fails()) {
            return file.write(bytes, at);
        }
        ByteBuffer part = bytes.duplicate();
        part.limit(part.position() + Math.min(5, part.remaining()));
        file.write(part, at);
        throw new IOException("No space left on device");
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
        check();
        file.truncate(size);
        return this;
    }

    @Override
    public void force(boolean metaData) throws IOException {
        check();
        file.force(metaData);
    }

    @Override
    public int read(ByteBuffer bytes) throws IOException {
        return file.read(bytes);
    }

    @Override
    public long size() throws IOException {
        return file.size();
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) throws IOException {
        return file.tryLock(position, size, shared);
    }

    @Override
    protected void implCloseChannel() throws IOException {
        file.close();
    }

    // What a memory of requests has no use for.

    @Override
    public long read(ByteBuffer[] all, int from, int count) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int read(ByteBuffer bytes, long at) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int write(ByteBuffer bytes) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long write(ByteBuffer[] all, int from, int count) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long position() {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileChannel position(long at) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long transferTo(long from, long count, WritableByteChannel to) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long transferFrom(ReadableByteChannel from, long at, long count) {
        throw new UnsupportedOperationException();
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long at, long size) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) {
        throw new UnsupportedOperationException();
    }
}
