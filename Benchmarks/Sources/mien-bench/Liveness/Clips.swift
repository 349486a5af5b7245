import Foundation
import MienFace
import MienMedia
import MienTools

/// Clips of people from the folder `intel-sample-videos`, whose contents are known here.
struct Clips {
    let folder: String

    /// - Throws: ``Failure`` when the folder is missing.
    init(existing folder: String) throws {
        guard
            (try? URL(filePath: folder).resourceValues(forKeys: [.isDirectoryKey]).isDirectory)
                == true
        else {
            throw Failure(
                .badInput, "folder.missing",
                "\(folder): the folder does not exist; name the folder of clips")
        }
        self.folder = folder
    }

    static let couple = "preview/head-pose-face-detection-female-and-male.gif",
        man = "preview/head-pose-face-detection-male.gif"
    static let woman = "preview/head-pose-face-detection-female.gif"
    /// One man who makes signs. Some clips were used to set the limits; others were not.
    static let signs = ["milk", "sorry"]
    static let otherSigns = [
        "again", "bird", "book", "brother", "eat", "help", "hungry", "learn", "night", "no",
        "please", "school", "sister", "student", "thanks",
        "walk",
        "want", "yes",
    ]

    static func sign(_ name: String) -> String { "asl_gestures/\(name).mkv" }

    /// All frames, with their times.
    func timedFrames(_ name: String) async throws -> (frames: [RGBImage], times: [Duration]) {
        var frames: [RGBImage] = [], times: [Duration] = []
        for try await frame in try await VideoStream.open(.file("\(folder)/\(name)")) {
            frames.append(frame.image)
            times.append(frame.time)
        }
        return (frames, times)
    }

    /// All frames.
    func frames(_ name: String) async throws -> [RGBImage] {
        var frames: [RGBImage] = []
        for try await frame in try await VideoStream.open(.file("\(folder)/\(name)")) {
            frames.append(frame.image)
        }
        return frames
    }

    /// Returns the frames in `range`, counted from 1, optionally cropped.
    func frames(_ name: String, _ range: ClosedRange<Int>, x: Int = 0, width: Int? = nil)
        async throws -> [RGBImage]
    {
        try await frames(name)[(range.lowerBound - 1)...(range.upperBound - 1)].map { image in
            image.reduced(by: 1, x: x, y: 0, width: width ?? image.width, height: image.height)
        }
    }
}
