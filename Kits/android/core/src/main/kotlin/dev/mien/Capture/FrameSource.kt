package dev.mien

/** A camera: the core's side of it. */
interface FrameSource {
    /**
     * Begins to deliver frames to [sink], which returns `false` when it wants no more, on any thread.
     *
     * @param quality what the session needs: a live session ten or more small pictures a second, otherwise good ones.
     * @throws DeviceException without a camera, or without the permission to use it.
     */
    fun start(quality: Quality, sink: FrameSink)

    /**
     * While it runs for documents: a picture in the resolution of stills. Waits for it.
     *
     * @return `null` if the camera has none. A frame is sent then.
     */
    fun takePicture(): CaptureFrame? = null

    /** Releases the camera. Does nothing if it is not in use. */
    fun stop()

    enum class Quality { LIVE, STILL, DOCUMENT }
}

interface FrameSink {
    fun onFrame(frame: CaptureFrame): Boolean
    /** The camera has ended: another app took it, or it failed. */
    fun onEnd(error: DeviceException?)
}

/** Frames that wait to be sent. One thread puts, another takes. */
internal class FrameBuffer(private val isLive: Boolean) : FrameSink {
    private val frames = java.util.ArrayDeque<CaptureFrame>()
    private var hasEnded = false
    private var error: DeviceException? = null
    private val lock = java.util.concurrent.locks.ReentrantLock()
    private val changed = lock.newCondition()

    override fun onFrame(frame: CaptureFrame): Boolean {
        lock.lock()
        try {
            if (hasEnded) return false
            // In a live session the newest frames count; otherwise the next picture is as good as any.
            while (frames.size >= (if (isLive) MAX_LIVE else 1)) frames.removeFirst()
            frames.addLast(if (frame.takenAtNanos == null) CaptureFrame(frame.bytes, frame.type, System.nanoTime()) else frame)
            changed.signalAll()
            return true
        } finally { lock.unlock() }
    }

    override fun onEnd(error: DeviceException?) {
        lock.lock()
        try {
            if (hasEnded) return
            hasEnded = true
            this.error = error
            changed.signalAll()
        } finally { lock.unlock() }
    }

    /** Waits for frames; `null` after the last one. */
    fun take(count: Int, maxBytes: Int): List<CaptureFrame>? {
        lock.lock()
        try {
            while (frames.isEmpty()) {
                error?.let { throw it }
                if (hasEnded) return null
                changed.await()
            }
            val taken = ArrayList<CaptureFrame>()
            var size = 0
            while (frames.isNotEmpty() && taken.size < count) {
                size += frames.peekFirst().bytes.size
                if (size > maxBytes && taken.isNotEmpty()) break
                taken.add(frames.removeFirst())
            }
            return taken
        } finally { lock.unlock() }
    }

    private companion object { const val MAX_LIVE = 8 }
}
