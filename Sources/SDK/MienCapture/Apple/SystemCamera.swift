#if canImport(AVFoundation) && canImport(UIKit)
internal import AVFoundation
internal import CoreGraphics
internal import CoreImage
internal import CoreMedia
internal import CoreVideo
internal import Foundation
internal import ImageIO
internal import MienCore

/// The device's cameras. Needs `NSCameraUsageDescription` in the app's `Info.plist`.
public final class SystemCamera: CaptureCamera, @unchecked Sendable {
    // Unchecked: `session` and `watch` change on `queue` only. The view's layer shows the session
    // from the main thread, for which AVFoundation makes it.
    let session = AVCaptureSession()
    private let queue = DispatchQueue(label: "mien.camera")
    private let receiver = Receiver()
    private var watch: (any DispatchSourceTimer)?

    /// How long the camera may be silent, for example during a call. Then its pictures end.
    private static let patience = Duration.seconds(5)

    public init() {}

    public func open(_ position: CameraPosition) async throws -> AsyncStream<CameraPicture> {
        switch AVCaptureDevice.authorizationStatus(for: .video) {
        case .authorized: break
        case .notDetermined:
            guard await AVCaptureDevice.requestAccess(for: .video) else {
                throw CameraTrouble.denied
            }
        default: throw CameraTrouble.denied
        }
        let (stream, continuation) = AsyncStream<CameraPicture>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        receiver.deliver(to: continuation)
        do {
            try await withCheckedThrowingContinuation {
                (done: CheckedContinuation<Void, any Error>) in
                queue.async { [self] in done.resume(with: Result { try begin(position) }) }
            }
        } catch {
            receiver.end()
            throw error
        }
        return stream
    }

    public func close() {
        receiver.end()
        queue.async { [self] in stop() }
    }

    private func stop() {
        watch?.cancel()
        watch = nil
        if session.isRunning { session.stopRunning() }
    }

    /// - Throws: ``CameraTrouble``.
    private func begin(_ position: CameraPosition) throws {
        guard
            let device = AVCaptureDevice.default(
                .builtInWideAngleCamera, for: .video, position: position == .front ? .front : .back)
        else { throw CameraTrouble.missing }
        guard let input = try? AVCaptureDeviceInput(device: device) else {
            throw CameraTrouble.busy
        }
        stop()
        session.beginConfiguration()
        for former in session.inputs { session.removeInput(former) }
        for former in session.outputs { session.removeOutput(former) }
        let presets: [AVCaptureSession.Preset] =
            position == .front ? [.hd1280x720, .vga640x480] : [.hd4K3840x2160, .hd1920x1080]
        let output = AVCaptureVideoDataOutput()
        output.alwaysDiscardsLateVideoFrames = true
        output.setSampleBufferDelegate(receiver, queue: DispatchQueue(label: "mien.frames"))
        guard session.canAddInput(input), session.canAddOutput(output) else {
            session.commitConfiguration()
            throw CameraTrouble.busy
        }
        session.addInput(input)
        session.addOutput(output)
        if let preset = presets.first(where: { session.canSetSessionPreset($0) }) {
            session.sessionPreset = preset
        }
        if let connection = output.connection(with: .video) { Self.straighten(connection) }
        session.commitConfiguration()
        session.startRunning()
        watchForSilence()
    }

    private func watchForSilence() {
        receiver.listen()
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.setEventHandler { [weak self] in
            guard let self, receiver.silence > Self.patience else { return }
            receiver.end()
            stop()
        }
        watch = timer
        timer.resume()
    }

    /// Pictures are upright and not mirrored, as the server expects them.
    private static func straighten(_ connection: AVCaptureConnection) {
        if #available(iOS 17, macCatalyst 17, *) {
            if connection.isVideoRotationAngleSupported(90) { connection.videoRotationAngle = 90 }
        } else {
            connection.videoOrientation = .portrait
        }
        if connection.isVideoMirroringSupported {
            connection.automaticallyAdjustsVideoMirroring = false
            connection.isVideoMirrored = false
        }
    }

    /// Hands the camera's pictures on.
    private final class Receiver: NSObject, AVCaptureVideoDataOutputSampleBufferDelegate, Sendable {
        private let target = Locked<AsyncStream<CameraPicture>.Continuation?>(nil)
        private let lastAt = Locked(ContinuousClock.now)

        /// Counts the silence from now on.
        func listen() { lastAt.withLock { $0 = .now } }
        /// The time since the last picture.
        var silence: Duration { lastAt.withLock { $0.duration(to: .now) } }

        func deliver(to continuation: AsyncStream<CameraPicture>.Continuation) {
            let former = target.withLock { target in
                defer { target = continuation }
                return target
            }
            former?.finish()
        }

        func end() {
            let former = target.withLock { target in
                defer { target = nil }
                return target
            }
            former?.finish()
        }

        func captureOutput(
            _ output: AVCaptureOutput, didOutput sampleBuffer: CMSampleBuffer,
            from connection: AVCaptureConnection
        ) {
            guard let buffer = CMSampleBufferGetImageBuffer(sampleBuffer) else { return }
            listen()
            let picture = Pixels(buffer)
            let (width, height) = (CVPixelBufferGetWidth(buffer), CVPixelBufferGetHeight(buffer))
            _ = target.withLock { $0 }?.yield(
                CameraPicture(width: width, height: height) { side, quality in
                    picture.jpeg(side: side, quality: quality)
                })
        }
    }

    /// A picture as the camera made it.
    private struct Pixels: @unchecked Sendable {
        // Unchecked: nothing changes a buffer that the camera has handed out.
        private let buffer: CVPixelBuffer
        private static let context = Encoder()

        init(_ buffer: CVPixelBuffer) { self.buffer = buffer }

        func jpeg(side: Int, quality: Double) -> [UInt8]? {
            let whole = CIImage(cvPixelBuffer: buffer)
            let longer = max(whole.extent.width, whole.extent.height)
            let scale = min(1, CGFloat(side) / max(1, longer))
            let image =
                scale < 1
                ? whole.transformed(by: CGAffineTransform(scaleX: scale, y: scale)) : whole
            return Self.context.jpeg(image, quality)
        }
    }

    private struct Encoder: @unchecked Sendable {
        // Unchecked: Core Image documents contexts as safe for several threads.
        private let context = CIContext()

        func jpeg(_ image: CIImage, _ quality: Double) -> [UInt8]? {
            let key = CIImageRepresentationOption(
                rawValue: kCGImageDestinationLossyCompressionQuality as String)
            return context.jpegRepresentation(
                of: image, colorSpace: CGColorSpaceCreateDeviceRGB(), options: [key: quality]
            ).map { [UInt8]($0) }
        }
    }
}
#endif
