import MienCore
import MienFace
import MienMedia
import MienModels
import MienTesting

/// Measures how reliably streams are recognized: recorded clips replayed unchanged or modified, and
/// other clips.
extension LivenessTrials {
    /// A modification of a stream before it is replayed.
    private enum Change: String, CaseIterable {
        case none = "as it was", jpeg80 = "JPEG again, quality 80", jpeg50 =
            "JPEG again, quality 50", smaller = "four fifths of the size"
        case noise = "noise of 4 levels", darker = "darker by a fifth", shifted = "cut by 8 pixels",
            secondHalf = "its second half only"
        case everyOther = "every other frame"

        func frames(_ clip: [RGBImage]) throws -> [RGBImage] {
            var generator = SeededGenerator(seed: 3)
            return switch self {
            case .none: clip
            case .jpeg80:
                try clip.map { try ImageDecoder.decode(JPEGEncoder.encode($0, quality: 80)) }
            case .jpeg50:
                try clip.map { try ImageDecoder.decode(JPEGEncoder.encode($0, quality: 50)) }
            case .smaller:
                clip.map { $0.resized(width: $0.width * 4 / 5, height: $0.height * 4 / 5) }
            case .noise: clip.map { $0.withCameraNoise(4, using: &generator) }
            case .darker:
                clip.map { image in
                    try! RGBImage(
                        width: image.width, height: image.height,
                        pixels: image.pixels.map { $0 / 5 * 4 })
                }
            case .shifted:
                clip.map {
                    $0.reduced(by: 1, x: 8, y: 8, width: $0.width - 8, height: $0.height - 8)
                }
            case .secondHalf: Array(clip.suffix(clip.count / 2))
            case .everyOther: stride(from: 0, to: clip.count, by: 2).map { clip[$0] }
            }
        }
    }

    /// A stream's hashes and the trail that a server would store.
    private struct Stream {
        var hashes: [ReplayHash] = []
        var trail = ReplayTrail()

        mutating func see(_ patch: FacePatch) {
            let hash = ReplayHash(patch)
            hashes.append(hash)
            trail.see(hash)
        }
    }

    func replays(_ clips: Clips) async throws {
        let names = [Clips.man, Clips.woman] + (Clips.signs + Clips.otherSigns).map(Clips.sign)
        var recorded: [Stream] = [], known: [Change: Int] = [:], tried: [Change: Int] = [:]
        for name in names {
            let clip = try await clips.frames(name), stream = try await stream(clip)
            guard stream.trail.hashes.count >= ReplayTrail.minIndices else { continue }
            recorded.append(stream)
            for change in Change.allCases {
                let again = try await self.stream(change.frames(clip))
                tried[change, default: 0] += 1
                if stream.trail.isReplayed(by: again.hashes) { known[change, default: 0] += 1 }
            }
        }
        say("replayed | clips | recognized")
        for change in Change.allCases {
            say("\(change.rawValue) | \(tried[change] ?? 0) | \(known[change] ?? 0)")
        }
        // Clips of one man in the same place and light are as similar as different sessions of one
        // person can be.
        var pairs = 0, mistaken = 0, nearest = ReplayHash.bits
        for (i, one) in recorded.enumerated() {
            for (j, other) in recorded.enumerated() where i != j {
                pairs += 1
                if one.trail.isReplayed(by: other.hashes) { mistaken += 1 }
                for mine in one.trail.hashes {
                    for theirs in other.hashes { nearest = min(nearest, mine.distance(to: theirs)) }
                }
            }
        }
        say(
            "another clip | \(pairs) | \(mistaken)\nnearest frames of two clips: \(nearest) of \(ReplayHash.bits) bits"
        )
    }

    private func stream(_ frames: [RGBImage]) async throws -> Stream {
        var stream = Stream()
        for (i, frame) in frames.enumerated() {
            if let patch = try await engine.reading(
                of: Frame(image: frame, time: .milliseconds(33 * i)), index: i
            ).face?.patch {
                stream.see(patch)
            }
        }
        return stream
    }
}
