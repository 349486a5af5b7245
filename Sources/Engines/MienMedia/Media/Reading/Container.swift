internal import CMienMedia
internal import SystemAV

/// An open file or camera from which one stream of pictures is read. For one thread at a time.
@safe final class Container {
    private var context: UnsafeMutablePointer<AVFormatContext>?
    private let packet: UnsafeMutablePointer<AVPacket>
    private let bytes: ByteReader?
    private let stop: StopFlag
    private var streamIndex: Int32 = 0

    /// The supported container formats and codecs. All others that FFmpeg supports stay disabled,
    /// because each is an attack surface for malicious files.
    private static let formats = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,gif,avi,mpegts,ogg"
    private static let codecs: [AVCodecID] = [
        AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_VP8, AV_CODEC_ID_VP9, AV_CODEC_ID_AV1,
        AV_CODEC_ID_MPEG4, AV_CODEC_ID_MPEG2VIDEO,
        AV_CODEC_ID_MJPEG, AV_CODEC_ID_GIF, AV_CODEC_ID_THEORA, AV_CODEC_ID_FFV1,
        AV_CODEC_ID_RAWVIDEO,
    ]

    /// Makes the process-wide FFmpeg settings once.
    private static let isPrepared: Bool = {
        // FFmpeg's log output may reveal the contents of a file.
        av_log_set_level(AV_LOG_QUIET)
        av_max_alloc(256 << 20)
        return true
    }()

    /// Opens a file.
    init(_ source: ByteSource, stop: StopFlag) throws(MediaError) {
        precondition(Self.isPrepared)
        self.stop = stop
        bytes = try ByteReader(source)
        unsafe packet = try Self.newPacket()
        let context = unsafe try Self.newContext(stop)
        unsafe context.pointee.pb = unsafe bytes!.context
        unsafe context.pointee.probesize = 5_000_000
        unsafe context.pointee.max_analyze_duration = 5_000_000
        unsafe context.pointee.max_streams = 64
        // Prevent references in a file from opening anything.
        unsafe context.pointee.io_open = { _, _, _, _, _ in -EACCES }
        let status = unsafe open(
            context, nil, nil, ["format_whitelist": Self.formats, "protocol_whitelist": "none"])
        guard status >= 0 else {
            throw Self.error(
                status, orElse: .notVideo,
                "The video's format is not supported, or its beginning is damaged. Send MP4, MOV, MKV, WebM, AVI, MPEG-TS, Ogg, or GIF."
            )
        }
        guard unsafe avformat_find_stream_info(self.context, nil) >= 0 else {
            throw MediaError(
                .corrupt,
                "The video is damaged: its streams cannot be identified. Record or save it again."
            )
        }
        streamIndex = try findStream()
    }

    /// Opens a device. `format` is FFmpeg's name for its kind, and `url` is its path.
    init(device url: String, format: String, wishes: [String: String], stop: StopFlag)
        throws(MediaError)
    {
        precondition(Self.isPrepared)
        self.stop = stop
        bytes = nil
        unsafe packet = try Self.newPacket()
        guard mien_media_load_devices() == 1, let input = unsafe av_find_input_format(format) else {
            throw MediaError(
                .noCameraLibrary,
                "FFmpeg's library for cameras (libavdevice) is not installed. Run scripts/setup.")
        }
        var status: Int32 = 0
        for wishes in [wishes, [:]] {
            // A camera that does not support the requested options uses its own.
            let context = unsafe try Self.newContext(stop)
            unsafe context.pointee.flags |= AVFMT_FLAG_NONBLOCK
            status = unsafe open(context, url, input, wishes)
            guard status < 0,
                ![mien_media_busy, mien_media_not_allowed, mien_media_no_device].contains(
                    Int(mien_media_outcome(status)))
            else {
                break
            }
        }
        guard status >= 0 else { throw Self.cameraError(status) }
        streamIndex = try findStream()
    }

    deinit {
        var packet: UnsafeMutablePointer<AVPacket>? = unsafe packet
        unsafe av_packet_free(&packet)
        unsafe avformat_close_input(&context)
    }

    // MARK: Reading

    enum Reading {
        case packet
        /// A camera has no frame yet.
        case nothingYet
        case end
    }

    /// Passes the next packet of the stream to `use`, for the duration of the call.
    func read(_ use: (UnsafeMutablePointer<AVPacket>) -> Void) throws(MediaError) -> Reading {
        while true {
            let status = unsafe av_read_frame(context, packet)
            guard status >= 0 else { return try reading(status) }
            defer { unsafe av_packet_unref(packet) }
            guard unsafe packet.pointee.stream_index == streamIndex else { continue }
            unsafe use(packet)
            return .packet
        }
    }

    private func reading(_ status: Int32) throws(MediaError) -> Reading {
        switch Int(mien_media_outcome(status)) {
        case mien_media_again: return .nothingYet
        case mien_media_end, mien_media_stopped: return .end
        default:
            if bytes == nil { throw Self.cameraError(status) }
            throw Self.error(
                status, orElse: .corrupt,
                "The video is damaged partway through. Record or save it again.")
        }
    }

    var stream: UnsafeMutablePointer<AVStream> {
        unsafe context!.pointee.streams[Int(streamIndex)]!
    }

    /// Returns the pixel aspect ratio according to the frame or, failing that, the file.
    func pixelAspect(of frame: UnsafeMutablePointer<AVFrame>?) -> AVRational {
        unsafe av_guess_sample_aspect_ratio(context, stream, frame)
    }

    /// The duration that the file states.
    var duration: Duration? {
        let microseconds = unsafe context!.pointee.duration
        return microseconds > 0 ? .microseconds(microseconds) : nil
    }

    // MARK: Opening

    private func open(
        _ context: UnsafeMutablePointer<AVFormatContext>, _ url: String?,
        _ input: UnsafePointer<AVInputFormat>?, _ settings: [String: String]
    ) -> Int32 {
        var dictionary: OpaquePointer?
        for (key, value) in settings { unsafe av_dict_set(&dictionary, key, value, 0) }
        defer { unsafe av_dict_free(&dictionary) }
        unsafe self.context = context
        // FFmpeg frees the context when opening fails.
        return unsafe avformat_open_input(&self.context, url, input, &dictionary)
    }

    private static func newContext(_ stop: StopFlag) throws(MediaError) -> UnsafeMutablePointer<
        AVFormatContext
    > {
        guard let context = unsafe avformat_alloc_context() else { throw .tooMuchMemory }
        // Not retained, because `self` keeps it alive longer than the context.
        unsafe context.pointee.interrupt_callback.opaque = Unmanaged.passUnretained(stop).toOpaque()
        unsafe context.pointee.interrupt_callback.callback = { stop in
            unsafe Unmanaged<StopFlag>.fromOpaque(stop!).takeUnretainedValue().isSet ? 1 : 0
        }
        return unsafe context
    }

    private static func newPacket() throws(MediaError) -> UnsafeMutablePointer<AVPacket> {
        guard let packet = unsafe av_packet_alloc() else { throw .tooMuchMemory }
        return unsafe packet
    }

    private func findStream() throws(MediaError) -> Int32 {
        let context = unsafe context!
        var video: [Int32] = []
        let count = unsafe Int32(context.pointee.nb_streams)
        for index in 0..<count {
            let stream = unsafe context.pointee.streams[Int(index)]!
            // Cover art is a picture but not a video.
            let isCover = unsafe stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0
            let isVideo =
                unsafe stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO && !isCover
            if isVideo {
                video.append(index)
            } else {
                unsafe stream.pointee.discard = AVDISCARD_ALL
            }
        }
        guard let first = video.first else {
            throw MediaError(
                .noVideoStream,
                "The file contains no video stream, only sound or other data. Send a file with video."
            )
        }
        for other in video.dropFirst() {
            unsafe context.pointee.streams[Int(other)]!.pointee.discard = AVDISCARD_ALL
        }
        let codec = unsafe context.pointee.streams[Int(first)]!.pointee.codecpar.pointee.codec_id
        guard Self.codecs.contains(codec) else {
            let name = unsafe String(cString: avcodec_get_name(codec))
            throw MediaError(
                .unsupportedCodec,
                "The video codec “\(name)” is not supported. Save the video as H.264, HEVC, VP8, VP9, AV1, MPEG-4, MPEG-2, Motion JPEG, Theora, FFV1, or GIF."
            )
        }
        return first
    }

    // MARK: Errors

    private static func error(_ status: Int32, orElse code: MediaError.Code, _ reason: String)
        -> MediaError
    {
        Int(mien_media_outcome(status)) == mien_media_no_memory
            ? .tooMuchMemory : MediaError(code, reason)
    }

    private static func cameraError(_ status: Int32) -> MediaError {
        switch Int(mien_media_outcome(status)) {
        case mien_media_busy:
            MediaError(
                .cameraBusy,
                "The camera is in use by another program. Close that program or choose another camera."
            )
        case mien_media_not_allowed:
            MediaError(
                .cameraNotAllowed,
                "The current user may not use the camera. On Debian, add the user to the group “video”."
            )
        case mien_media_no_device:
            MediaError(.cameraGone, "The camera was disconnected. Connect it again.")
        case mien_media_no_memory: .tooMuchMemory
        default:
            MediaError(
                .cameraFailed,
                "The camera cannot be used: its picture format is not supported, or capturing fails. Choose another camera."
            )
        }
    }
}
