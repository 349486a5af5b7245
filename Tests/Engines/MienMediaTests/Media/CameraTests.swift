import Foundation
import MienTesting
import Testing

@testable import MienMedia

@Suite struct CameraTests {
    private let back = Camera(name: "USB Camera", path: "/dev/video0"),
        front = Camera(name: "Integrated FRONT", path: "/dev/video2")

    @Test func `the default is the first camera whose name contains front, or else the first`()
        throws
    {
        #expect(try Camera.choose(from: [back, front]) == front)
        #expect(
            try Camera.choose(from: [back, Camera(name: "Other", path: "/dev/video4")]) == back)
        #expect(
            try Camera.choose(from: [front, Camera(name: "front two", path: "/dev/video4")])
                == front)
    }

    @Test func `a name or a device path selects a camera`() throws {
        #expect(try Camera.choose(from: [back, front], named: "usb camera") == back)
        #expect(try Camera.choose(from: [back, front], named: "/dev/video2") == front)
    }

    @Test func `an unknown name lists the available cameras`() {
        let error = #expect(throws: MediaError.self) {
            try Camera.choose(from: [back, front], named: "USB")
        }
        #expect(error?.code == .unknownCamera)
        #expect(
            error?.reason
                == "There is no camera “USB”. Choose from: “USB Camera” (/dev/video0), “Integrated FRONT” (/dev/video2)."
        )
        #expect(
            #expect(throws: MediaError.self) { try Camera.choose(from: [], named: "USB") }?.code
                == .noCamera)
        #expect(#expect(throws: MediaError.self) { try Camera.choose(from: []) }?.code == .noCamera)
    }

    @Test func `cameras are listed by device number without their metadata devices`() throws {
        let scratch = try ScratchFolder()
        for (entry, name) in [
            ("video10", "Ten\n"), ("video2", "Two: Two\n"), ("video3", "Two: Two\n"),
            ("video4", "\n"), ("v4l-subdev0", "x"),
        ] {
            try FileManager.default.createDirectory(
                at: scratch(entry), withIntermediateDirectories: true)
            _ = try scratch.write(name.utf8, to: "\(entry)/name")
        }
        let cameras = Camera.all(in: scratch.url.path, devices: "/dev") {
            $0 == "/dev/video3" ? .unusable : .notAllowed
        }
        #expect(
            cameras == [
                Camera(name: "Two: Two", path: "/dev/video2"),
                Camera(name: "video4", path: "/dev/video4"),
                Camera(name: "Ten", path: "/dev/video10"),
            ])
        #expect(Camera.all(in: scratch("none").path, devices: "/dev") { _ in .notAllowed }.isEmpty)
    }

    @Test func `a virtual camera is chosen only by its name, or if there is no other`() throws {
        let virtual = Camera(name: "Virtual front", path: "/dev/video9", isVirtual: true)
        #expect(try Camera.choose(from: [virtual, back]) == back)
        #expect(try Camera.choose(from: [virtual]) == virtual)
        #expect(try Camera.choose(from: [back, virtual], named: "virtual front") == virtual)
    }

    @Test func `the list on this computer contains only devices`() {
        #expect(Camera.all().allSatisfy { $0.path.hasPrefix("/dev/video") && !$0.name.isEmpty })
    }
}
