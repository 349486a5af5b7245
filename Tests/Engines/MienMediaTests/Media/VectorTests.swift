import Foundation
import MienMedia
import MienTesting
import Testing

/// Small stored videos: they test each format without an encoder and seed the fuzz target. See
/// Videos/PROVENANCE.md.
@Suite struct VectorTests {
    private static let (width, height, count) = (48, 32, 3)
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "Videos")
    private static let names = MovieMaker.Kind.allCases.map(\.rawValue) + ["turned.mp4"]

    @Test(arguments: names) func `a stored video reads as it was written`(_ name: String)
        throws
    {
        let url = try #require(
            Bundle.module.url(forResource: "Videos/\(name)", withExtension: nil))
        let reader = try FrameReader(bytes: [UInt8](try Data(contentsOf: url)))
        var frames: [VideoFrame] = []
        while case .frame(let frame) = try reader.next() { frames.append(frame) }
        #expect(frames.count == Self.count)
        let sides = name == "turned.mp4" ? (Self.height, Self.width) : (Self.width, Self.height)
        for frame in frames { #expect((frame.image.width, frame.image.height) == sides) }
        #expect(frames.map { Int(($0.time / .milliseconds(1)).rounded()) } == [0, 40, 80])
        // The top left is red. After a clockwise quarter turn, it shows the former bottom left:
        // blue.
        let first = try #require(frames.last).image[4, 4]
        if name == "turned.mp4" {
            #expect(first.blue > 150 && first.red < 100)
        } else {
            #expect(first.red > 150 && first.blue < 100)
        }
    }

    @Test(
        .enabled(
            if: ProcessInfo.processInfo.environment["MIEN_WRITE_VECTORS"] != nil,
            "writes files: only when MIEN_WRITE_VECTORS is set"))
    func `the vectors are rewritten`() throws {
        try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
        for kind in MovieMaker.Kind.allCases {
            try MovieMaker(kind).write(
                Self.count, width: Self.width, height: Self.height,
                to: Self.folder.appending(path: kind.rawValue))
        }
        var turned = MovieMaker(.mp4)
        turned.displayMatrix = MovieMaker.turned(90)
        try turned.write(
            Self.count, width: Self.width, height: Self.height,
            to: Self.folder.appending(path: "turned.mp4"))
    }
}
