internal import CMienMedia
internal import MienFace
internal import SystemAV

/// Converts raw frames to upright RGB pictures. Reuses its buffers from frame to frame.
@safe final class FrameConverter {
    private let orientation: FrameOrientation
    private let longestSide: Int
    private let limits: VideoLimits
    private var scaler: OpaquePointer?
    private var target: UnsafeMutablePointer<AVFrame>?

    /// - Parameter longestSide: Scales larger frames down to this size.
    init(_ orientation: FrameOrientation, longestSide: Int?, limits: VideoLimits) {
        (self.orientation, self.limits) = (orientation, limits)
        self.longestSide = min(longestSide ?? .max, RGBImage.sideRange.upperBound)
    }

    deinit {
        unsafe sws_freeContext(scaler)
        unsafe av_frame_free(&target)
    }

    /// Returns the display size of a stored frame of `width` × `height` before it is turned
    /// upright: with square pixels and within `longestSide`.
    func shown(_ width: Int, _ height: Int, pixelAspect: AVRational) -> (width: Int, height: Int) {
        var (w, h) = (Double(width), Double(height))
        let aspect =
            pixelAspect.num > 0 && pixelAspect.den > 0
            ? Double(pixelAspect.num) / Double(pixelAspect.den) : 1
        // Files may state any ratio. No camera uses pixels outside this range.
        if (0.25...4).contains(aspect) { if aspect < 1 { w *= aspect } else { h /= aspect } }
        let scale = min(1, Double(longestSide) / max(w, h))
        return (max(1, Int((w * scale).rounded())), max(1, Int((h * scale).rounded())))
    }

    func convert(_ frame: UnsafeMutablePointer<AVFrame>, pixelAspect: AVRational) throws(MediaError)
        -> RGBImage
    {
        let (width, height) = unsafe (Int(frame.pointee.width), Int(frame.pointee.height))
        try limits.check(width: width, height: height)
        let (w, h) = shown(width, height, pixelAspect: pixelAspect)
        let target = unsafe try target(w, h)
        let format = unsafe AVPixelFormat(rawValue: frame.pointee.format)
        unsafe scaler = unsafe sws_getCachedContext(
            scaler, Int32(width), Int32(height), format, Int32(w), Int32(h), AV_PIX_FMT_RGB24,
            (w, h) == (width, height) ? SWS_BILINEAR | SWS_ACCURATE_RND : SWS_AREA, nil, nil, nil)
        guard unsafe scaler != nil else {
            throw MediaError(
                .unsupportedCodec,
                "The frames' pixel format cannot be converted to RGB. Save the video as H.264."
            )
        }
        unsafe setColors(of: frame)
        let rows = unsafe withUnsafePointer(to: frame.pointee.data) { planes in
            unsafe planes.withMemoryRebound(to: UnsafePointer<UInt8>?.self, capacity: 8) { planes in
                unsafe withUnsafePointer(to: frame.pointee.linesize) { strides in
                    unsafe strides.withMemoryRebound(to: Int32.self, capacity: 8) { strides in
                        unsafe withUnsafeMutablePointer(to: &target.pointee.data.0) { out in
                            unsafe withUnsafeMutablePointer(to: &target.pointee.linesize.0) {
                                outStride in
                                unsafe sws_scale(
                                    scaler, planes, strides, 0, Int32(height), out, outStride)
                            }
                        }
                    }
                }
            }
        }
        guard rows == Int32(h), let start = unsafe target.pointee.data.0 else {
            throw MediaError(
                .corrupt, "A frame of the video cannot be converted to RGB. Save the video again.")
        }
        return unsafe orientation.upright(
            start, width: w, height: h, stride: Int(target.pointee.linesize.0))
    }

    /// Sets the color matrix and range. For values that a file leaves open, uses the same defaults
    /// as players: BT.709 from 720 rows on, BT.601 below.
    private func setColors(of frame: UnsafeMutablePointer<AVFrame>) {
        var space = unsafe Int32(bitPattern: frame.pointee.colorspace.rawValue)
        if unsafe frame.pointee.colorspace == AVCOL_SPC_UNSPECIFIED {
            space = unsafe frame.pointee.height >= 720 ? SWS_CS_ITU709 : SWS_CS_ITU601
        }
        let isFull: Int32 =
            unsafe frame.pointee.color_range == AVCOL_RANGE_JPEG
            || isFullByFormat(frame.pointee.format) ? 1 : 0
        // Fails for RGB frames, which need no matrix.
        _ = unsafe sws_setColorspaceDetails(
            scaler, sws_getCoefficients(space), isFull, sws_getCoefficients(SWS_CS_DEFAULT), 1, 0,
            1 << 16, 1 << 16)
    }

    private func isFullByFormat(_ format: Int32) -> Bool {
        [
            AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVJ440P,
            AV_PIX_FMT_YUVJ411P,
        ].contains { $0.rawValue == format }
    }

    /// Returns a buffer aligned for swscale, which writes whole registers, even past the end of a
    /// row.
    private func target(_ width: Int, _ height: Int) throws(MediaError) -> UnsafeMutablePointer<
        AVFrame
    > {
        if let target = unsafe target, unsafe target.pointee.width == width,
            unsafe target.pointee.height == height
        {
            return unsafe target
        }
        unsafe av_frame_free(&target)
        guard let new = unsafe av_frame_alloc() else { throw .tooMuchMemory }
        unsafe target = unsafe new
        unsafe new.pointee.width = Int32(width)
        unsafe new.pointee.height = Int32(height)
        unsafe new.pointee.format = AV_PIX_FMT_RGB24.rawValue
        guard unsafe av_frame_get_buffer(new, 0) >= 0 else { throw .tooMuchMemory }
        return unsafe new
    }
}

/// The transformation that turns stored frames upright: an optional left–right mirroring, then
/// clockwise quarter turns.
struct FrameOrientation: Equatable {
    /// 0...3.
    let quarterTurns: Int
    let isMirrored: Bool

    static let upright = FrameOrientation(quarterTurns: 0, isMirrored: false)

    init(quarterTurns: Int, isMirrored: Bool) {
        (self.quarterTurns, self.isMirrored) = (quarterTurns, isMirrored)
    }

    /// - Parameter code: As defined in CMienMedia.h.
    init(code: Int32) { self.init(quarterTurns: Int(code & 3), isMirrored: code & 4 != 0) }

    func sides(_ width: Int, _ height: Int) -> (width: Int, height: Int) {
        quarterTurns % 2 == 0 ? (width, height) : (height, width)
    }

    /// - Parameter start: `height` rows of `width` pixels of 3 bytes, `stride` bytes apart.
    func upright(_ start: UnsafePointer<UInt8>, width: Int, height: Int, stride: Int) -> RGBImage {
        let (w, h) = sides(width, height)
        let pixels = unsafe [UInt8](unsafeUninitializedCapacity: 3 * w * h) { out, count in
            if self == .upright {
                for y in 0..<h {
                    unsafe (out.baseAddress! + 3 * w * y).update(
                        from: start + stride * y, count: 3 * w)
                }
            } else {
                unsafe turn(start, width, height, stride, into: out.baseAddress!, w, h)
            }
            count = 3 * w * h
        }
        guard let image = try? RGBImage(width: w, height: h, pixels: pixels) else {
            preconditionFailure("the sides must have been checked")
        }
        return image
    }

    private func turn(
        _ start: UnsafePointer<UInt8>, _ width: Int, _ height: Int, _ stride: Int,
        into out: UnsafeMutablePointer<UInt8>, _ w: Int, _ h: Int
    ) {
        // The stored position of the upright picture's first pixel, and the steps to its neighbors
        // to the right and below.
        var (x, y, right, down): (Int, Int, (Int, Int), (Int, Int))
        switch quarterTurns {
        case 0: (x, y, right, down) = (0, 0, (1, 0), (0, 1))
        case 1: (x, y, right, down) = (0, height - 1, (0, -1), (1, 0))
        case 2: (x, y, right, down) = (width - 1, height - 1, (-1, 0), (0, -1))
        default: (x, y, right, down) = (width - 1, 0, (0, 1), (-1, 0))
        }
        if isMirrored { (x, right.0, down.0) = (width - 1 - x, -right.0, -down.0) }
        let (across, along) = (3 * right.0 + stride * right.1, 3 * down.0 + stride * down.1)
        var row = unsafe start + 3 * x + stride * y
        var to = unsafe out
        for _ in 0..<h {
            var from = unsafe row
            for _ in 0..<w {
                unsafe to[0] = unsafe from[0]
                unsafe to[1] = unsafe from[1]
                unsafe to[2] = unsafe from[2]
                unsafe to += 3
                unsafe from += across
            }
            unsafe row += along
        }
    }
}
