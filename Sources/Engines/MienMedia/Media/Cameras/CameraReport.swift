internal import CMienMedia
internal import SystemPackage

/// The description that a camera's driver gives of a device (`VIDIOC_QUERYCAP`).
public struct CameraReport: Sendable, Hashable {
    /// The driver's name: "uvcvideo".
    public let driver: String
    /// The device's name: "Integrated Camera: Front".
    public let card: String
    /// The device's place: "usb-0000:00:14.0-8".
    public let bus: String
    /// The abilities of this device, as bits of `V4L2_CAP_…`.
    public let capabilities: UInt32

    private static let capture: UInt32 = 0x1, output: UInt32 = 0x2
    private static let readWrite: UInt32 = 0x100_0000, streaming: UInt32 = 0x400_0000
    /// Drivers without a sensor, as they name themselves, without spaces: programs or patterns give
    /// the pictures.
    private static let virtualDrivers = ["v4l2loopback", "akvcam", "vivid", "vimc"]

    public init(driver: String, card: String, bus: String, capabilities: UInt32) {
        (self.driver, self.card, self.bus, self.capabilities) = (driver, card, bus, capabilities)
    }

    /// Asks the driver of the device at `path`; `nil` if it cannot be opened, or is no video device.
    public init?(path: String) {
        guard
            let device = try? FileDescriptor.open(
                FilePath(path), .readWrite, options: [.closeOnExec, .nonBlocking])
        else { return nil }
        defer { try? device.close() }
        self.init(device)
    }

    init?(_ device: FileDescriptor) {
        let empty = [CChar](repeating: 0, count: 33)
        var (driver, card, bus) = (empty, empty, empty), capabilities: UInt32 = 0
        guard
            unsafe mien_media_camera_report(
                device.rawValue, &driver, &card, &bus, &capabilities) == 1
        else { return nil }
        func text(_ word: [CChar]) -> String {
            String(decoding: word.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        self.init(
            driver: text(driver), card: text(card), bus: text(bus), capabilities: capabilities)
    }

    /// Whether the device gives moving pictures.
    public var givesPictures: Bool {
        capabilities & Self.capture != 0 && capabilities & (Self.readWrite | Self.streaming) != 0
    }

    /// Whether a program on this computer can be the origin of the pictures, such as OBS Studio's
    /// virtual camera.
    ///
    /// Recognizes drivers by their name and place, and devices that both take and give pictures.
    /// Users can choose the card's name, so it says nothing. Does not recognize a changed driver, nor
    /// hardware that plays a video as a USB camera.
    public var isVirtual: Bool {
        let name = driver.lowercased().filter { !$0.isWhitespace && $0 != "-" && $0 != "_" }
        return Self.virtualDrivers.contains { driver in
            name.hasPrefix(driver) || bus.lowercased().hasPrefix("platform:\(driver)")
        } || capabilities & (Self.capture | Self.output) == Self.capture | Self.output
    }
}
