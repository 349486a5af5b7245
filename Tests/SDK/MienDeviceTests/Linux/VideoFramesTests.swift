import Foundation
import MienDevice
import MienDeviceLinux
import MienFace
import MienMedia
import MienTesting
import Testing

@Suite struct VideoFramesTests {
    @Test func `a video is a source of frames with increasing times`() async throws {
        let scratch = try ScratchFolder(), file = scratch("movie.mkv")
        try MovieMaker(.mkv).write(5, width: 32, height: 24, to: file)
        var times: [Duration] = []
        for try await frame in VideoFrames(try await VideoStream.open(.file(file.path))) {
            #expect(frame.image.width == 32 && frame.image.height == 24)
            times.append(frame.time)
        }
        #expect(times.count == 5 && zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func `a canceled task is reported`() async throws {
        let scratch = try ScratchFolder(), file = scratch("movie.mkv")
        try MovieMaker(.mkv).write(200, width: 32, height: 24, to: file)
        let frames = VideoFrames(try await VideoStream.open(.file(file.path)))
        let task = Task {
            for try await _ in frames { withUnsafeCurrentTask { $0?.cancel() } }
        }
        let error = await #expect(throws: FrameSourceError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }

    @Test func `a broken video keeps the reason of its error`() async throws {
        let scratch = try ScratchFolder(), path = scratch("none.mp4").path
        let broken = await #expect(throws: MediaError.self) {
            try await VideoStream.open(.file(path))
        }
        let error = FrameSourceError(try #require(broken))
        #expect(error.code == .notFound && error.reason.hasPrefix(path))
    }
}
