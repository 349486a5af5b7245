import MienMedia
import MienTesting
import Testing

@Suite struct CameraReportTests {
    /// Reports in the form of those that owners of the devices published in bug reports, as
    /// `v4l2-ctl --all` prints them. The last number is that of the line “Device Caps”. Where a
    /// published report lacked it, it was filled in from the driver's documented abilities; the whole
    /// report of vivid was.
    private static let loopback: [CameraReport] = [
        .init(
            driver: "v4l2 loopback", card: "Dummy video device (0x0000)",
            bus: "platform:v4l2loopback-000", capabilities: 0x0520_0003),
        // With exclusive_caps=1, while a program plays into it.
        .init(
            driver: "v4l2 loopback", card: "OBS Virtual Camera", bus: "platform:v4l2loopback-000",
            capabilities: 0x0520_0001),
        .init(
            driver: "akvcam", card: "akvcam 2/capture", bus: "platform:akvcam-8",
            capabilities: 0x0520_0001),
        .init(
            driver: "v4l2loopback_dc", card: "Droidcam", bus: "platform:v4l2loopback_dc-000",
            capabilities: 0x0520_0001),
        .init(
            driver: "vivid", card: "vivid", bus: "platform:vivid-000", capabilities: 0x0520_0001),
    ]
    private static let real: [CameraReport] = [
        .init(
            driver: "uvcvideo", card: "Integrated Camera: Integrated C", bus: "usb-0000:00:14.0-8",
            capabilities: 0x0420_0001),
        .init(
            driver: "uvcvideo", card: "HD Pro Webcam C920", bus: "usb-0000:01:00.0-10.4.4",
            capabilities: 0x0420_0001),
        .init(
            driver: "bm2835 mmal", card: "mmal service 16.1", bus: "platform:bcm2835-v4l2",
            capabilities: 0x0520_0005),
    ]

    @Test(arguments: loopback) func `a loopback device is virtual`(report: CameraReport) {
        #expect(report.isVirtual && report.givesPictures)
    }

    @Test(arguments: real) func `a camera with a sensor is not virtual`(report: CameraReport) {
        #expect(!report.isVirtual && report.givesPictures)
    }

    @Test func `a renamed driver is recognized if the device also takes pictures`() {
        func report(_ capabilities: UInt32) -> CameraReport {
            .init(
                driver: "webcam", card: "Integrated Camera", bus: "usb-0000:00:14.0-8",
                capabilities: capabilities)
        }
        #expect(report(0x0520_0003).isVirtual)
        // A known blind spot.
        #expect(!report(0x0520_0001).isVirtual)
    }

    /// The first is OBS Studio's while nothing plays into it, the second a camera's metadata.
    @Test(arguments: [0x0520_0002, 0x04A0_0000] as [UInt32])
    func `a device that gives no pictures is not a camera`(capabilities: UInt32) {
        let report = CameraReport(driver: "a", card: "b", bus: "c", capabilities: capabilities)
        #expect(!report.givesPictures)
    }

    @Test func `other files have no report`() {
        #expect(CameraReport(path: "/dev/null") == nil)
        #expect(CameraReport(path: "/dev/video-none") == nil)
    }

    @Test func `a camera that does not answer is refused, unless virtual ones are allowed`()
        async throws
    {
        // A source of test pictures, which has no driver to ask.
        let refused = await #expect(throws: MediaError.self) {
            try await VideoStream.open(
                .device("testsrc=size=64x48:rate=30", format: "lavfi", refusesVirtual: true))
        }
        #expect(
            refused?.code == .virtualCamera
                && refused?.reason.contains("did not answer the question which driver") == true)
        let stream = try await VideoStream.open(
            .device("testsrc=size=64x48:rate=30", format: "lavfi"))
        await stream.close()
    }

    @Test func `a virtual camera is refused unless it is allowed`() async throws {
        let camera = Camera(name: "OBS", path: "/dev/null", isVirtual: true)
        let refused = await #expect(throws: MediaError.self) {
            try await VideoStream.open(.camera(camera))
        }
        #expect(
            refused?.code == .virtualCamera
                && refused?.reason.hasPrefix("OBS: The camera is virtual") == true)
        let opened = await #expect(throws: MediaError.self) {
            try await VideoStream.open(.camera(camera, allowsVirtual: true))
        }
        #expect(opened?.code == .cameraFailed)
    }
}
