internal import CMienMedia
internal import MienFace
internal import SystemAV

/// Reads a video's frames in order on the caller's thread, blocking for up to a frame's duration.
///
/// Not `Sendable`: it belongs to the thread that created it.
package final class FrameReader {
    package let info: VideoInfo

    private let container: Container
    private let decoder: FrameDecoder
    private let converter: FrameConverter
    private let clock: FrameClock
    private let limits: VideoLimits
    private let isLive: Bool
    private var number = 0
    private var last = Duration.zero
    private var isDrained = false

    package enum Reading {
        case frame(VideoFrame)
        /// A camera has no frame yet.
        case nothingYet
        case end
    }

    /// Reads a video in memory, to test the parser.
    package convenience init(
        bytes: [UInt8], limits: VideoLimits = .standard, longestSide: Int? = nil
    ) throws(MediaError) {
        let container = try Container(
            try ByteSource(bytes: bytes, limits: limits), stop: StopFlag())
        try self.init(container, limits: limits, longestSide: longestSide, isLive: false)
    }

    convenience init(_ source: VideoSource, options: VideoOptions, stop: StopFlag)
        throws(MediaError)
    {
        let container: Container
        switch source.origin {
        case .file(let path):
            let bytes = try ByteSource(file: path, limits: options.limits) { stop.isSet }
            container = try Container(bytes, stop: stop)
        case .device(let url, let format):
            // The device is asked again, because it may have changed since it was listed.
            let report = source.refusesVirtual ? CameraReport(path: url) : nil
            if source.refusesVirtual, source.isVirtual || report?.isVirtual == true {
                throw .virtualCamera
            }
            let wishes =
                format == VideoSource.cameraFormat
                ? ["video_size": "640x480", "framerate": "30"] : [:]
            container = try Container(device: url, format: format, wishes: wishes, stop: stop)
            // A device that cannot be opened has failed with its own error by now.
            if source.refusesVirtual, report == nil { throw .unidentifiedCamera }
        }
        try self.init(
            container, limits: options.limits, longestSide: options.longestSide,
            isLive: source.isLive)
    }

    private init(_ container: Container, limits: VideoLimits, longestSide: Int?, isLive: Bool)
        throws(MediaError)
    {
        let stream = unsafe container.stream
        let parameters = unsafe stream.pointee.codecpar!
        let (width, height) = unsafe (Int(parameters.pointee.width), Int(parameters.pointee.height))
        try limits.check(width: width, height: height)
        if !isLive, let duration = container.duration { try limits.check(duration) }
        let orientation = unsafe FrameOrientation(code: mien_media_orientation(stream))
        (self.container, self.limits, self.isLive) = (container, limits, isLive)
        decoder = unsafe try FrameDecoder(stream, limits: limits)
        converter = FrameConverter(orientation, longestSide: longestSide, limits: limits)
        let rate = unsafe av_q2d(stream.pointee.avg_frame_rate)
        clock = unsafe FrameClock(base: stream.pointee.time_base, framesPerSecond: rate)
        let shown = unsafe converter.shown(
            width, height, pixelAspect: container.pixelAspect(of: nil))
        let sides = orientation.sides(shown.width, shown.height)
        info = unsafe VideoInfo(
            width: sides.width, height: sides.height, duration: isLive ? nil : container.duration,
            framesPerSecond: rate.isFinite && rate > 0 ? rate : nil,
            codec: String(cString: avcodec_get_name(parameters.pointee.codec_id)),
            quarterTurns: orientation.quarterTurns)
    }

    /// - Throws: ``MediaError`` when the video is too damaged to continue or exceeds a limit.
    package func next() throws(MediaError) -> Reading {
        for _ in 0..<VideoLimits.fruitlessPackets {
            switch try decoder.decode() {
            case .frame: return .frame(try finish())
            case .end: return try ended()
            case .needsPacket:
                if isDrained { return try ended() }
                switch unsafe try container.read({ unsafe decoder.feed($0) }) {
                case .packet: continue
                case .nothingYet: return .nothingYet
                case .end:
                    isDrained = true
                    unsafe decoder.feed(nil)
                }
            }
        }
        throw MediaError(
            .corrupt,
            "The video is damaged: \(VideoLimits.fruitlessPackets) consecutive packets contain no picture. Record or save it again."
        )
    }

    private func ended() throws(MediaError) -> Reading {
        guard number > 0 || isLive else {
            throw MediaError(
                .corrupt,
                "The video is damaged: none of its pictures can be decoded. Save it again.")
        }
        return .end
    }

    private func finish() throws(MediaError) -> VideoFrame {
        let frame = unsafe decoder.frame
        let time = unsafe clock.time(
            of: frame.pointee.best_effort_timestamp, after: number == 0 ? nil : last)
        if !isLive { try limits.check(time) }
        let image = unsafe try converter.convert(
            frame, pixelAspect: container.pixelAspect(of: frame))
        defer { (number, last) = (number + 1, time) }
        return VideoFrame(image: image, time: time, number: number)
    }
}

/// Converts a stream's timestamps, which may be arbitrary, to strictly increasing times that start
/// at zero.
final class FrameClock {
    private let base: AVRational
    private let step: Duration
    private var first: Int64?

    init(base: AVRational, framesPerSecond: Double) {
        self.base = base
        step = .seconds(1) / ((1...1000).contains(framesPerSecond) ? framesPerSecond : 30)
    }

    /// - Parameters:
    ///   - stamp: The timestamp; `Int64.min` if there is none.
    ///   - last: The previous frame's time.
    func time(of stamp: Int64, after last: Duration?) -> Duration {
        guard let last else {
            first = stamp == .min ? nil : stamp
            return .zero
        }
        guard let first, stamp != .min, base.num > 0, base.den > 0 else { return last + step }
        let (distance, overflow) = stamp.subtractingReportingOverflow(first)
        let microseconds =
            overflow ? .min : av_rescale_q(distance, base, AVRational(num: 1, den: 1_000_000))
        guard microseconds != .min else { return last + step }
        return max(last + .microseconds(1), .microseconds(microseconds))
    }
}
