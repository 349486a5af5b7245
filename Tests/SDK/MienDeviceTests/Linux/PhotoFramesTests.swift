import Foundation
import MienDevice
import MienDeviceLinux
import MienFace
import MienMedia
import MienTesting
import Testing

@Suite struct PhotoFramesTests {
    private func sides(_ frames: PhotoFrames) async throws -> [Int] {
        var widths: [Int] = [], times: [Duration] = []
        for try await frame in frames {
            widths.append(frame.image.width)
            times.append(frame.time)
        }
        #expect(times == times.indices.map { .milliseconds(250) * $0 })
        return widths
    }

    private func photo(_ width: Int) -> Data {
        Data(PNGEncoder.encode(RGBImage(width: width, height: 3, filledWith: .white)))
    }

    @Test func `the photos of a folder are returned in order of name, and a single photo alone`()
        async throws
    {
        let scratch = try ScratchFolder()
        for (name, width) in [("b.PNG", 2), ("a.png", 1), ("c.png", 3)] {
            try scratch.write(photo(width), to: "photos/\(name)")
        }
        try scratch.write(Data("no photo".utf8), to: "photos/notes.txt")
        #expect(try await sides(PhotoFrames(at: scratch("photos").path)) == [1, 2, 3])
        #expect(try await sides(PhotoFrames(at: scratch("photos/c.png").path)) == [3])
    }

    @Test func `the error for a file that is not a photo names the file`() async throws {
        let scratch = try ScratchFolder()
        try scratch.write(Data("no photo".utf8), to: "empty/notes.txt")
        try scratch.write(Data("no photo".utf8), to: "bad.png")
        try scratch.write(photo(4), to: "good.png")
        #expect(throws: FrameSourceError(.notFound, "")) {
            try PhotoFrames(at: scratch("none.png").path)
        }
        let empty = #expect(throws: FrameSourceError(.unreadable, "")) {
            try PhotoFrames(at: scratch("empty").path)
        }
        #expect(empty?.reason.hasPrefix(scratch("empty").path) == true)
        let bad = await #expect(throws: FrameSourceError.self) {
            try await sides(PhotoFrames(at: scratch("bad.png").path))
        }
        #expect(bad?.code == .unreadable && bad?.reason.hasPrefix(scratch("bad.png").path) == true)
        let large = await #expect(throws: FrameSourceError.self) {
            try await sides(
                PhotoFrames([scratch("good.png").path], limits: ImageLimits(maxBytes: 10)))
        }
        #expect(large?.code == .tooLarge)
    }

    @Test func `a canceled task is reported`() async throws {
        let scratch = try ScratchFolder()
        try scratch.write(photo(4), to: "good.png")
        let frames = try PhotoFrames(at: scratch("good.png").path)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await sides(frames)
        }
        await #expect(throws: FrameSourceError(.cancelled, "")) { try await task.value }
    }
}
