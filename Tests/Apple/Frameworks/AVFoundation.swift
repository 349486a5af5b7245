// The parts of Apple's AVFoundation that the SDK uses: a camera that plays the pictures of `FakePhone`.
// Source: developer.apple.com/documentation/avfoundation, the pages avcapturesession, avcapturedevice,
// avcapturedevice/authorizationstatus(for:), avcapturedevice/requestaccess(for:completionhandler:),
// avcapturedeviceinput, avcapturevideodataoutput, avcapturevideodataoutputsamplebufferdelegate,
// avcaptureconnection, avcapturevideopreviewlayer; documentation/quartzcore/calayer.
@_exported import CoreMedia
@_exported import Foundation
import QuartzCore

public struct AVMediaType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let video = Self(rawValue: "vide")
}

public enum AVAuthorizationStatus: Int, Sendable {
    case notDetermined = 0, restricted = 1, denied = 2, authorized = 3
}

open class AVCaptureDevice: NSObject, @unchecked Sendable {
    public enum Position: Int, Sendable { case unspecified = 0, back = 1, front = 2 }
    public struct DeviceType: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let builtInWideAngleCamera = Self(
            rawValue: "AVCaptureDeviceTypeBuiltInWideAngleCamera")
    }

    public let position: Position
    init(_ position: Position) { self.position = position }

    open class func authorizationStatus(for mediaType: AVMediaType) -> AVAuthorizationStatus {
        AVAuthorizationStatus(rawValue: FakePhone.shared.with { $0.camera }) ?? .denied
    }
    open class func requestAccess(for mediaType: AVMediaType) async -> Bool {
        FakePhone.shared.with {
            if $0.camera == 0 { $0.camera = $0.allowsCamera ? 3 : 2 }
            return $0.camera == 3
        }
    }
    open class func `default`(
        _ deviceType: DeviceType, for mediaType: AVMediaType?, position: Position
    ) -> AVCaptureDevice? {
        FakePhone.shared.with { $0.hasCamera } ? AVCaptureDevice(position) : nil
    }
}

open class AVCaptureInput: NSObject {}
open class AVCaptureDeviceInput: AVCaptureInput {
    public let device: AVCaptureDevice
    public init(device: AVCaptureDevice) throws {
        guard FakePhone.shared.with({ $0.camera == 3 }) else {
            throw NSError(domain: "AVFoundationErrorDomain", code: -11_852)
        }
        self.device = device
    }
}

public enum AVCaptureVideoOrientation: Int, Sendable {
    case portrait = 1, portraitUpsideDown, landscapeRight, landscapeLeft
}

open class AVCaptureConnection: NSObject {
    open var videoOrientation = AVCaptureVideoOrientation.landscapeRight
    open var videoRotationAngle: CGFloat = 0
    open func isVideoRotationAngleSupported(_ angle: CGFloat) -> Bool { angle == 90 }
    open var isVideoMirrored = false
    open var automaticallyAdjustsVideoMirroring = true
    open var isVideoMirroringSupported: Bool { true }
}

open class AVCaptureOutput: NSObject {
    fileprivate let fakeConnection = AVCaptureConnection()
    open func connection(with mediaType: AVMediaType) -> AVCaptureConnection? { fakeConnection }
}

public protocol AVCaptureVideoDataOutputSampleBufferDelegate: NSObjectProtocol {
    func captureOutput(
        _ output: AVCaptureOutput, didOutput sampleBuffer: CMSampleBuffer,
        from connection: AVCaptureConnection)
}

open class AVCaptureVideoDataOutput: AVCaptureOutput {
    fileprivate weak var delegate: (any AVCaptureVideoDataOutputSampleBufferDelegate)?
    fileprivate var queue: DispatchQueue?
    public override init() {}
    open var alwaysDiscardsLateVideoFrames = true
    open var videoSettings: [String: Any]! = [:]
    open func setSampleBufferDelegate(
        _ sampleBufferDelegate: (any AVCaptureVideoDataOutputSampleBufferDelegate)?,
        queue sampleBufferCallbackQueue: DispatchQueue?
    ) { (delegate, queue) = (sampleBufferDelegate, sampleBufferCallbackQueue) }
}

open class AVCaptureSession: NSObject {
    public struct Preset: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let vga640x480 = Self(rawValue: "AVCaptureSessionPreset640x480")
        public static let hd1280x720 = Self(rawValue: "AVCaptureSessionPreset1280x720")
        public static let hd1920x1080 = Self(rawValue: "AVCaptureSessionPreset1920x1080")
        public static let hd4K3840x2160 = Self(rawValue: "AVCaptureSessionPreset3840x2160")
    }

    public override init() {}
    open var sessionPreset = Preset.hd1920x1080
    open private(set) var inputs: [AVCaptureInput] = []
    open private(set) var outputs: [AVCaptureOutput] = []
    private var timer: (any DispatchSourceTimer)?

    open func canSetSessionPreset(_ preset: Preset) -> Bool { true }
    open func beginConfiguration() {}
    open func commitConfiguration() {}
    open func canAddInput(_ input: AVCaptureInput) -> Bool { inputs.isEmpty }
    open func addInput(_ input: AVCaptureInput) { inputs.append(input) }
    open func removeInput(_ input: AVCaptureInput) { inputs.removeAll { $0 === input } }
    open func canAddOutput(_ output: AVCaptureOutput) -> Bool { outputs.isEmpty }
    open func addOutput(_ output: AVCaptureOutput) { outputs.append(output) }
    open func removeOutput(_ output: AVCaptureOutput) { outputs.removeAll { $0 === output } }
    open var isRunning: Bool { timer != nil }

    open func startRunning() {
        guard timer == nil, let output = outputs.first as? AVCaptureVideoDataOutput,
            let queue = output.queue, let input = inputs.first as? AVCaptureDeviceInput
        else { return }
        let isFront = input.device.position == .front
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let seconds = FakePhone.shared.with {
            $0.isCameraRunning = true
            return 1 / $0.framesPerSecond
        }
        timer.schedule(deadline: .now(), repeating: seconds)
        timer.setEventHandler {
            guard let picture = FakePhone.shared.with({ $0.picture })(isFront) else { return }
            let format = output.videoSettings[kCVPixelBufferPixelFormatTypeKey] as? OSType
            output.delegate?.captureOutput(
                output,
                didOutput: CMSampleBuffer(
                    fake: CVBuffer(
                        fake: picture, hasBGRA: format == kCVPixelFormatType_32BGRA)),
                from: output.fakeConnection)
        }
        self.timer = timer
        timer.resume()
    }

    open func stopRunning() {
        timer?.cancel()
        timer = nil
        FakePhone.shared.with { $0.isCameraRunning = false }
    }
}

public struct AVLayerVideoGravity: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let resizeAspectFill = Self(rawValue: "AVLayerVideoGravityResizeAspectFill")
}

open class AVCaptureVideoPreviewLayer: CALayer {
    open var session: AVCaptureSession?
    open var videoGravity = AVLayerVideoGravity.resizeAspectFill
}
