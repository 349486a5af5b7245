internal import CMienMedia
internal import MienFace
internal import SystemAV

/// Decodes packets to raw frames. Runs only on the caller's thread, so that no FFmpeg threads
/// remain afterwards.
@safe final class FrameDecoder {
    private var context: UnsafeMutablePointer<AVCodecContext>?
    /// The frame that was decoded last; valid until the next call to ``decode()``.
    let frame: UnsafeMutablePointer<AVFrame>

    init(_ stream: UnsafeMutablePointer<AVStream>, limits: VideoLimits) throws(MediaError) {
        let parameters = unsafe stream.pointee.codecpar!
        let name = unsafe String(cString: avcodec_get_name(parameters.pointee.codec_id))
        guard let decoder = unsafe avcodec_find_decoder(parameters.pointee.codec_id) else {
            throw MediaError(
                .unsupportedCodec,
                "FFmpeg has no decoder for “\(name)” on this computer. Save the video as H.264."
            )
        }
        guard let frame = unsafe av_frame_alloc() else { throw .tooMuchMemory }
        unsafe self.frame = frame
        unsafe context = unsafe avcodec_alloc_context3(decoder)
        guard let context = unsafe context,
            unsafe avcodec_parameters_to_context(context, parameters) >= 0
        else { throw .tooMuchMemory }
        unsafe context.pointee.pkt_timebase = unsafe stream.pointee.time_base
        unsafe context.pointee.thread_count = 1
        // Applies before memory is allocated, to streams whose frames grow midway. Decoders count
        // rows with their stored length; the exact check follows later.
        unsafe context.pointee.max_pixels =
            Int64(limits.maxPixels) + 64 * Int64(RGBImage.sideRange.upperBound)
        guard unsafe avcodec_open2(context, decoder, nil) >= 0 else {
            throw MediaError(
                .corrupt,
                "The video uses an unsupported variant of “\(name)”. Save the video again."
            )
        }
    }

    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = unsafe frame
        unsafe av_frame_free(&frame)
        unsafe avcodec_free_context(&context)
    }

    /// Feeds a packet to the decoder; `nil` after the last one. A damaged packet produces no frame.
    func feed(_ packet: UnsafeMutablePointer<AVPacket>?) {
        unsafe avcodec_send_packet(context, packet)
    }

    enum Outcome { case frame, needsPacket, end }

    /// Decodes into ``frame``.
    func decode() throws(MediaError) -> Outcome {
        let status = unsafe avcodec_receive_frame(context, frame)
        if status >= 0 { return .frame }
        switch Int(mien_media_outcome(status)) {
        case mien_media_end: return .end
        case mien_media_no_memory: throw .tooMuchMemory
        // The packet is damaged; the next one may be intact.
        default: return .needsPacket
        }
    }
}
