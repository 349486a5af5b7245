import Foundation
import MienFace
import SystemAV

/// Writes small videos with FFmpeg's library, so that tests need no recordings of people.
public struct MovieMaker {
    public enum Kind: String, CaseIterable, Sendable {
        case mp4 = "mpeg4.mp4"
        case h264 = "libx264.mp4"
        case webm = "libvpx.webm"
        case mkv = "ffv1.mkv"
        case avi = "mjpeg.avi"
        case gif = "gif.gif"
        case ts = "mpeg2video.ts"

        var encoder: String { String(rawValue.split(separator: ".")[0]) }
        public var fileExtension: String { String(rawValue.split(separator: ".")[1]) }
        /// Whether decoding returns every pixel unchanged except for rounding.
        public var isNearlyExact: Bool { self == .mkv }

        var format: AVPixelFormat {
            switch self {
            case .avi: AV_PIX_FMT_YUVJ420P
            case .gif: AV_PIX_FMT_RGB8
            case .mkv: AV_PIX_FMT_YUV444P
            case .mp4, .h264, .webm, .ts: AV_PIX_FMT_YUV420P
            }
        }

        /// Whether FFmpeg has the encoder. Debian's build has all of them; others may lack some.
        public var isAvailable: Bool { avcodec_find_encoder_by_name(encoder) != nil }
    }

    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    public var kind: Kind
    public var framesPerSecond: Int32 = 25
    /// The nine numbers of the display matrix in the file's header.
    public var displayMatrix: [Int32]?
    public var pixelAspect = AVRational(num: 1, den: 1)

    public init(_ kind: Kind) { self.kind = kind }

    /// Returns a display matrix that rotates by `degrees` clockwise.
    public static func turned(_ degrees: Double, mirrored: Bool = false) -> [Int32] {
        var matrix = [Int32](repeating: 0, count: 9)
        av_display_rotation_set(&matrix, degrees)
        // The mirror is applied first: it changes the sign of x's contribution.
        if mirrored { (matrix[0], matrix[1]) = (-matrix[0], -matrix[1]) }
        return matrix
    }

    /// Returns a picture with red and green above, blue and white below, and a black bar that moves
    /// down from frame to frame.
    public static func picture(_ number: Int, of count: Int, width: Int, height: Int) -> RGBImage {
        var pixels = [UInt8](repeating: 0, count: 3 * width * height)
        let bar = height * number / max(1, count)
        for y in 0..<height where !(bar..<bar + max(1, height / 16)).contains(y) {
            for x in 0..<width {
                let color: (UInt8, UInt8, UInt8) =
                    switch (x < width / 2, y < height / 2) {
                    case (true, true): (255, 0, 0)
                    case (false, true): (0, 255, 0)
                    case (true, false): (0, 0, 255)
                    case (false, false): (255, 255, 255)
                    }
                let i = 3 * (y * width + x)
                (pixels[i], pixels[i + 1], pixels[i + 2]) = color
            }
        }
        return try! RGBImage(width: width, height: height, pixels: pixels)
    }

    /// Writes `count` of these pictures.
    public func write(_ count: Int, width: Int, height: Int, to file: URL) throws {
        try write(
            (0..<count).lazy.map { Self.picture($0, of: count, width: width, height: height) },
            to: file)
    }

    /// Writes pictures of one size.
    public func write(_ pictures: some Sequence<RGBImage>, to file: URL) throws {
        var encoder: Encoder?
        for picture in pictures {
            if encoder == nil {
                encoder = try Encoder(
                    self, width: picture.width, height: picture.height, file: file.path)
            }
            try encoder!.add(picture)
        }
        try encoder?.finish()
    }

    /// Writes a Matroska file that contains only silence.
    public static func writeSilence(to file: URL) throws {
        var muxer: UnsafeMutablePointer<AVFormatContext>?
        try check(avformat_alloc_output_context2(&muxer, nil, nil, file.path), "no muxer")
        defer { avformat_free_context(muxer) }
        let stream = avformat_new_stream(muxer, nil)!
        stream.pointee.codecpar.pointee.codec_type = AVMEDIA_TYPE_AUDIO
        stream.pointee.codecpar.pointee.codec_id = AV_CODEC_ID_PCM_S16LE
        stream.pointee.codecpar.pointee.sample_rate = 8000
        stream.pointee.codecpar.pointee.bits_per_coded_sample = 16
        av_channel_layout_default(&stream.pointee.codecpar.pointee.ch_layout, 1)
        try check(avio_open(&muxer!.pointee.pb, file.path, AVIO_FLAG_WRITE), "no file")
        try check(avformat_write_header(muxer, nil), "no header")
        var packet = av_packet_alloc()
        defer { av_packet_free(&packet) }
        try check(av_new_packet(packet, 16_000), "no packet")
        memset(packet!.pointee.data, 0, 16_000)
        packet!.pointee.pts = 0
        packet!.pointee.dts = 0
        try check(av_interleaved_write_frame(muxer, packet), "no sound")
        try check(av_write_trailer(muxer), "no trailer")
        avio_closep(&muxer!.pointee.pb)
    }

    fileprivate static func check(_ status: Int32, _ what: String) throws {
        guard status >= 0 else { throw Failure(description: "\(what) (\(status))") }
    }
}

private final class Encoder {
    private let maker: MovieMaker
    private var muxer: UnsafeMutablePointer<AVFormatContext>?
    private var codec: UnsafeMutablePointer<AVCodecContext>?
    private var frame = av_frame_alloc()
    private var packet = av_packet_alloc()
    private let stream: UnsafeMutablePointer<AVStream>
    private let scaler: OpaquePointer
    private var number: Int64 = 0

    init(_ maker: MovieMaker, width: Int, height: Int, file: String) throws {
        self.maker = maker
        av_log_set_level(AV_LOG_QUIET)
        try MovieMaker.check(avformat_alloc_output_context2(&muxer, nil, nil, file), "no muxer")
        guard let encoder = avcodec_find_encoder_by_name(maker.kind.encoder) else {
            throw MovieMaker.Failure(description: "missing encoder \(maker.kind.encoder)")
        }
        codec = avcodec_alloc_context3(encoder)
        let codec = codec!
        (codec.pointee.width, codec.pointee.height) = (Int32(width), Int32(height))
        codec.pointee.pix_fmt = maker.kind.format
        codec.pointee.time_base = AVRational(num: 1, den: maker.framesPerSecond)
        codec.pointee.framerate = AVRational(num: maker.framesPerSecond, den: 1)
        codec.pointee.sample_aspect_ratio = maker.pixelAspect
        codec.pointee.bit_rate = 2_000_000
        codec.pointee.gop_size = 10
        codec.pointee.thread_count = 1
        if muxer!.pointee.oformat.pointee.flags & AVFMT_GLOBALHEADER != 0 {
            codec.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
        }
        try MovieMaker.check(
            avcodec_open2(codec, encoder, nil), "\(maker.kind.encoder) cannot be opened")
        stream = avformat_new_stream(muxer, nil)
        try MovieMaker.check(
            avcodec_parameters_from_context(stream.pointee.codecpar, codec), "no parameters")
        stream.pointee.time_base = codec.pointee.time_base
        stream.pointee.avg_frame_rate = codec.pointee.framerate
        stream.pointee.sample_aspect_ratio = maker.pixelAspect
        if let matrix = maker.displayMatrix {
            let data = av_stream_new_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, 36)!
            matrix.withUnsafeBytes {
                data.update(from: $0.bindMemory(to: UInt8.self).baseAddress!, count: 36)
            }
        }
        try MovieMaker.check(
            avio_open(&muxer!.pointee.pb, file, AVIO_FLAG_WRITE), "\(file) cannot be written")
        try MovieMaker.check(avformat_write_header(muxer, nil), "no header")
        scaler = sws_getContext(
            Int32(width), Int32(height), AV_PIX_FMT_RGB24, Int32(width), Int32(height),
            codec.pointee.pix_fmt, SWS_BILINEAR | SWS_ACCURATE_RND, nil,
            nil, nil)
        (frame!.pointee.width, frame!.pointee.height) = (Int32(width), Int32(height))
        frame!.pointee.format = codec.pointee.pix_fmt.rawValue
        try MovieMaker.check(av_frame_get_buffer(frame, 0), "no frame")
    }

    deinit {
        sws_freeContext(scaler)
        av_frame_free(&frame)
        av_packet_free(&packet)
        avcodec_free_context(&codec)
        if muxer?.pointee.pb != nil { avio_closep(&muxer!.pointee.pb) }
        avformat_free_context(muxer)
    }

    func add(_ picture: RGBImage) throws {
        try MovieMaker.check(av_frame_make_writable(frame), "no frame")
        picture.pixels.withUnsafeBufferPointer { pixels in
            var planes:
                (
                    UnsafePointer<UInt8>?, UnsafePointer<UInt8>?, UnsafePointer<UInt8>?,
                    UnsafePointer<UInt8>?
                ) = (
                    pixels.baseAddress, nil, nil, nil
                )
            var strides: (Int32, Int32, Int32, Int32) = (Int32(3 * picture.width), 0, 0, 0)
            withUnsafePointer(to: &planes.0) { planes in
                withUnsafePointer(to: &strides.0) { strides in
                    _ = sws_scale(
                        scaler, planes, strides, 0, Int32(picture.height), &frame!.pointee.data.0,
                        &frame!.pointee.linesize.0)
                }
            }
        }
        frame!.pointee.pts = number
        number += 1
        try MovieMaker.check(avcodec_send_frame(codec, frame), "the encoder rejected a frame")
        try drain()
    }

    func finish() throws {
        try MovieMaker.check(
            avcodec_send_frame(codec, nil), "the encoder rejected the end of the stream")
        try drain()
        try MovieMaker.check(av_write_trailer(muxer), "no trailer")
    }

    private func drain() throws {
        while avcodec_receive_packet(codec, packet) >= 0 {
            av_packet_rescale_ts(packet, codec!.pointee.time_base, stream.pointee.time_base)
            packet!.pointee.stream_index = stream.pointee.index
            packet!.pointee.duration = av_rescale_q(
                1, codec!.pointee.time_base, stream.pointee.time_base)
            try MovieMaker.check(
                av_interleaved_write_frame(muxer, packet), "the file format rejected a packet")
        }
    }
}
