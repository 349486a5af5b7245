import Foundation
import MienMedia
import MienTesting
import Testing

extension MediaTests {
    /// Recordings by others, stored next to the project.
    @Suite struct ClipTests {
        private static let folder: URL? = {
            let environment = ProcessInfo.processInfo.environment
            let repository = Repository.root
            let shared =
                environment["MIEN_SHARED"].map { URL(filePath: $0) }
                ?? repository.appending(path: "../shared")
            let clips = shared.appending(path: "data/liveness/intel-sample-videos")
                .standardizedFileURL
            return FileManager.default.fileExists(atPath: clips.path) ? clips : nil
        }()

        private static let clips: [URL] = {
            guard let folder,
                let names = try? FileManager.default.subpathsOfDirectory(atPath: folder.path)
            else { return [] }
            return names.filter { ["mp4", "mkv", "gif"].contains(($0 as NSString).pathExtension) }
                .sorted().map { folder.appending(path: $0) }
        }()

        @Test(
            .enabled(
                if: !clips.isEmpty,
                "needs the recorded clips: ../shared/data/liveness, or MIEN_SHARED"))
        func `real recordings are read to their end in time`() async throws {
            for clip in Self.clips {
                let video = try await VideoStream.open(
                    .file(clip.path), options: VideoOptions(longestSide: 320))
                var count = 0
                var last = Duration.zero
                // A minute of each recording is enough.
                for try await frame in video {
                    #expect(max(frame.image.width, frame.image.height) <= 320)
                    (count, last) = (count + 1, frame.time)
                    if frame.time > .seconds(60) { break }
                }
                await video.close()
                #expect(count > 10, "\(clip.lastPathComponent)")
                guard let duration = video.info.duration, let rate = video.info.framesPerSecond,
                    duration < .seconds(60)
                else { continue }
                #expect(
                    abs(last / .seconds(1) - duration / .seconds(1)) < 0.5,
                    "\(clip.lastPathComponent)")
                #expect(
                    abs(Double(count) / (duration / .seconds(1)) - rate) < 0.15 * rate + 1,
                    "\(clip.lastPathComponent)")
            }
        }
    }
}
