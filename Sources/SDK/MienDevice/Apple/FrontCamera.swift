#if canImport(AVFoundation) && canImport(UIKit)
internal import AVFoundation
internal import CoreMedia
internal import CoreVideo
internal import Foundation
internal import MienFace

extension FaceFrames {
    /// Frames of the device's front camera, upright and not mirrored. The system asks the person when
    /// it is first opened. Needs `NSCameraUsageDescription` in the app's `Info.plist`.
    public static func camera() -> Self {
        Self(check: { try FrontCamera.check() }, { try await FrontCamera.open() })
    }
}

/// The front camera while it runs.
final class FrontCamera: NSObject, AVCaptureVideoDataOutputSampleBufferDelegate,
    @unchecked Sendable
{
    // Unchecked: everything that changes is used on `queue` only.
    private let session = AVCaptureSession()
    private let queue = DispatchQueue(label: "mien.device.camera")
    private let frames = PushedFrames()
    private let startedAt = ContinuousClock.now
    private var lastFrameAt = ContinuousClock.now
    private var watch: (any DispatchSourceTimer)?

    /// How long the camera may be silent, for example during a call.
    private static let patience = Duration.seconds(5)

    static var isThere: Bool { device != nil }

    private static var device: AVCaptureDevice? {
        .default(.builtInWideAngleCamera, for: .video, position: .front)
    }

    static func check() throws(FrameSourceError) {
        guard isThere else {
            throw FrameSourceError(.notFound, "This device has no front camera.")
        }
        switch AVCaptureDevice.authorizationStatus(for: .video) {
        case .authorized, .notDetermined: break
        default: throw denied
        }
    }

    /// Starts the camera. It stops when the frames are released.
    static func open() async throws -> CameraFrames {
        try check()
        if AVCaptureDevice.authorizationStatus(for: .video) == .notDetermined {
            guard await AVCaptureDevice.requestAccess(for: .video) else { throw denied }
        }
        let camera = FrontCamera()
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            camera.queue.async { done.resume(with: Result { try camera.begin() }) }
        }
        return CameraFrames(run: CameraRun(camera), base: camera.frames)
    }

    func stop() {
        queue.async { [self] in
            watch?.cancel()
            watch = nil
            if session.isRunning { session.stopRunning() }
            frames.finish()
        }
    }

    private static let denied = FrameSourceError(
        .notPermitted, "The person has not allowed the camera. Ask them to allow it in Settings.")
    private static let busy = FrameSourceError(.busy, "Another app uses the camera, or it failed.")

    private func begin() throws(FrameSourceError) {
        guard let device = Self.device, let input = try? AVCaptureDeviceInput(device: device) else {
            throw Self.busy
        }
        let output = AVCaptureVideoDataOutput()
        output.alwaysDiscardsLateVideoFrames = true
        output.videoSettings = [
            kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA
        ]
        output.setSampleBufferDelegate(self, queue: queue)
        session.beginConfiguration()
        guard session.canAddInput(input), session.canAddOutput(output) else {
            session.commitConfiguration()
            throw Self.busy
        }
        session.addInput(input)
        session.addOutput(output)
        let presets: [AVCaptureSession.Preset] = [.hd1280x720, .vga640x480]
        if let preset = presets.first(where: { session.canSetSessionPreset($0) }) {
            session.sessionPreset = preset
        }
        if let connection = output.connection(with: .video) { Self.straighten(connection) }
        session.commitConfiguration()
        session.startRunning()
        watchForSilence()
    }

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

    private func watchForSilence() {
        lastFrameAt = .now
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.setEventHandler { [weak self] in
            guard let self, lastFrameAt.duration(to: .now) > Self.patience else { return }
            frames.fail(
                FrameSourceError(.stalled, "The camera delivered no picture for 5 seconds."))
            stop()
        }
        watch = timer
        timer.resume()
    }

    func captureOutput(
        _ output: AVCaptureOutput, didOutput sampleBuffer: CMSampleBuffer,
        from connection: AVCaptureConnection
    ) {
        guard let buffer = CMSampleBufferGetImageBuffer(sampleBuffer),
            let image = Self.image(buffer)
        else { return }
        lastFrameAt = .now
        frames.push(Frame(image: image, time: startedAt.duration(to: lastFrameAt)))
    }

    /// Copies blue, green, red, and a byte without meaning into red, green, blue.
    private static func image(_ buffer: CVPixelBuffer) -> RGBImage? {
        guard CVPixelBufferLockBaseAddress(buffer, .readOnly) == kCVReturnSuccess else {
            return nil
        }
        defer { CVPixelBufferUnlockBaseAddress(buffer, .readOnly) }
        guard let base = unsafe CVPixelBufferGetBaseAddress(buffer) else { return nil }
        let (width, height) = (CVPixelBufferGetWidth(buffer), CVPixelBufferGetHeight(buffer))
        let stride = CVPixelBufferGetBytesPerRow(buffer)
        let bytes = unsafe UnsafeRawBufferPointer(start: base, count: stride * height)
        var pixels = [UInt8](repeating: 0, count: 3 * width * height)
        for row in 0..<height {
            for column in 0..<width {
                let (from, to) = (row * stride + 4 * column, 3 * (row * width + column))
                pixels[to] = unsafe bytes[from + 2]
                pixels[to + 1] = unsafe bytes[from + 1]
                pixels[to + 2] = unsafe bytes[from]
            }
        }
        return try? RGBImage(width: width, height: height, pixels: pixels)
    }
}

/// Stops the camera when nobody reads its frames.
final class CameraRun: ClosableStream {
    private let camera: FrontCamera

    init(_ camera: FrontCamera) { self.camera = camera }
    deinit { camera.stop() }

    func close() async { camera.stop() }
}

/// The front camera's frames.
struct CameraFrames: FrameSource {
    let run: CameraRun
    let base: PushedFrames

    func makeAsyncIterator() -> Iterator { Iterator(run: run, base: base.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        let run: CameraRun
        var base: PushedFrames.Iterator

        mutating func next() async throws(FrameSourceError) -> Frame? {
            try await base.next(isolation: nil)
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(FrameSourceError)
            -> Frame?
        {
            try await base.next(isolation: actor)
        }
    }
}
#endif
