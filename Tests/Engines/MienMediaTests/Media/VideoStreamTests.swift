import Foundation
import MienTesting
import Testing

@testable import MienMedia

/// This process's open files and threads, observed from outside the library.
private enum Traces {
    static func descriptors(of path: String) -> Int {
        let links = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return links.filter {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))
                == path
        }.count
    }

    static var threads: Int {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.filter {
            (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8))
                == FrameExchange.threadName + "\n"
        }.count
    }

    /// Threads end asynchronously. Waits up to ten seconds for those that do.
    static func areGone(_ path: String) async throws -> Bool {
        for _ in 0..<1000 {
            if threads == 0, descriptors(of: path) == 0 { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }
}

extension MediaTests {
    @Suite struct VideoStreamTests {
        let scratch = try! ScratchFolder()

        private func movie(_ count: Int) throws -> String {
            // The path as the kernel reports it, with symbolic links resolved.
            let file = scratch.url.resolvingSymlinksInPath().appending(path: "movie.mp4")
            try MovieMaker(.mp4).write(count, width: 64, height: 48, to: file)
            return file.path
        }

        @Test func `nothing is left after the last frame`() async throws {
            let path = try movie(20)
            let video = try await VideoStream.open(.file(path))
            #expect(Traces.descriptors(of: path) == 1)
            #expect(try await video.all().count == 20)
            #expect(Traces.descriptors(of: path) == 0, "closed before the loop ended")
            #expect(try await Traces.areGone(path))
            #expect(try await video.all().isEmpty, "it is read once")
        }

        @Test func `nothing is left after a break, and close waits for that`() async throws {
            let path = try movie(200)
            do {
                let video = try await VideoStream.open(.file(path))
                for try await frame in video where frame.number == 3 { break }
            }
            #expect(try await Traces.areGone(path))
            let video = try await VideoStream.open(.file(path))
            for try await frame in video where frame.number == 3 { break }
            await video.close()
            #expect(Traces.descriptors(of: path) == 0)
            #expect(try await video.all().isEmpty)
            #expect(try await Traces.areGone(path))
        }

        @Test func `an unread stream is released`() async throws {
            let path = try movie(200)
            _ = try await VideoStream.open(.file(path))
            #expect(try await Traces.areGone(path))
        }

        @Test func `a stream ends when its task is canceled at any moment`() async throws {
            let path = try movie(100)
            for moment in [0, 1, 2, 5, 10, 20, 40] {
                let task = Task {
                    var count = 0
                    for try await _ in try await VideoStream.open(.file(path)) {
                        count += 1
                        await Task.yield()
                    }
                    return count
                }
                try await Task.sleep(for: .milliseconds(moment))
                task.cancel()
                switch await task.result {
                case .success(let count): #expect(count == 100, "it had ended already")
                case .failure(let error):
                    #expect(error is CancellationError)
                    #expect(Traces.descriptors(of: path) == 0, "closed before the task heard of it")
                }
            }
            #expect(try await Traces.areGone(path))
        }

        @Test func `a failed open leaves nothing`() async throws {
            let path = try scratch.write("no video".utf8, to: "text.mp4").path
            for _ in 0..<20 {
                await #expect(throws: MediaError.self) { try await VideoStream.open(.file(path)) }
            }
            #expect(try await Traces.areGone(path))
        }

        @Test func `a file waits for its reader, and no frame is lost`() async throws {
            let video = try await VideoStream.open(
                .file(try movie(60)), options: VideoOptions(buffered: 1))
            var numbers: [Int] = []
            for try await frame in video {
                if frame.number < 20 { try await Task.sleep(for: .milliseconds(5)) }
                numbers.append(frame.number)
            }
            #expect(numbers == Array(0..<60))
        }

        @Test func `more streams than pool threads progress concurrently`() async throws {
            let path = try movie(40)
            let streams = 4 * ProcessInfo.processInfo.activeProcessorCount
            // Opens all streams, each with a full buffer and a waiting thread, then reads them to
            // the end in turn.
            var videos: [VideoStream] = []
            for _ in 0..<streams { videos.append(try await VideoStream.open(.file(path))) }
            for video in videos { #expect(try await video.all().count == 40) }
            #expect(try await Traces.areGone(path))
        }

        @Test func `two tasks share one stream`() async throws {
            let video = try await VideoStream.open(.file(try movie(80)))
            async let some = video.all()
            async let others = video.all()
            let numbers = try await (some + others).map(\.number).sorted()
            #expect(numbers == Array(0..<80))
        }
    }
}

extension MediaTests {
    /// libavdevice's own source of test pictures acts as a camera.
    @Suite struct LiveStreamTests {
        private static let rate = 100
        private static let pictures = VideoSource.device(
            "testsrc=size=64x48:rate=\(rate),realtime,format=rgb24", format: "lavfi")

        @Test func `a camera's old frames are dropped, and the gap shows`() async throws {
            let video = try await VideoStream.open(
                Self.pictures, options: VideoOptions(buffered: 2))
            #expect(video.info.duration == nil && (video.info.width, video.info.height) == (64, 48))
            var iterator = video.makeAsyncIterator()
            let first = try #require(try await iterator.next())
            try await Task.sleep(for: .milliseconds(500))
            let later = try #require(try await iterator.next())
            #expect(later.number - first.number > 10)
            #expect(later.time > first.time + .milliseconds(100))
            await video.close()
            #expect(try await iterator.next() == nil)
        }

        @Test func `a camera ends when its task is canceled`() async throws {
            let task = Task {
                for try await _ in try await VideoStream.open(Self.pictures) {}
            }
            try await Task.sleep(for: .milliseconds(200))
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await Traces.areGone("-"))
        }

        @Test func `a missing camera is reported as gone`() async throws {
            let camera = Camera(name: "Front", path: "/dev/video-none")
            let error = await #expect(throws: MediaError.self) {
                try await VideoStream.open(.camera(camera))
            }
            #expect(error?.code == .cameraGone && error?.reason.hasPrefix("Front: ") == true)
        }

        @Test func `a device that is not a camera fails like one`() async throws {
            let error = await #expect(throws: MediaError.self) {
                try await VideoStream.open(.camera(Camera(name: "Null", path: "/dev/null")))
            }
            #expect(error?.code == .cameraFailed)
        }
    }
}
