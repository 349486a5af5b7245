import Foundation
import MienFace
import MienMedia
import MienModels
import MienTesting
import MienTools

/// How much of a picture's light is left: the factor of its pixel values. Less light also means more
/// noise, which this leaves out.
enum LightLevel: String, CaseIterable, Comparable {
    case full = "1", half = "1/2", third = "1/3", fifth = "1/5"

    private var divisor: Int {
        switch self {
        case .full: 1
        case .half: 2
        case .third: 3
        case .fifth: 5
        }
    }

    static func < (a: Self, b: Self) -> Bool { a.divisor < b.divisor }

    func dimmed(_ image: RGBImage) throws -> RGBImage {
        let divisor = UInt8(divisor)
        if divisor == 1 { return image }
        return try RGBImage(
            width: image.width, height: image.height, pixels: image.pixels.map { $0 / divisor })
    }
}

/// One clip or picture as the presentation check saw it.
struct PresentationTrial {
    var frames = 0, faces = 0, turned = 0
    var closed: [PresentationGate: Int] = [:]
    var attacks: [Double] = []

    /// The median that a session would judge; `nil` with too few frames.
    var median: Double? {
        attacks.count < PresentationTrials.minFrames
            ? nil : attacks.sorted()[attacks.count / 2]
    }
}

/// Runs the presentation check's part of the pipeline on clips.
struct PresentationTrials {
    let engine: FaceEngine
    let every: Int
    /// As in sessions.
    static let minFrames = 10
    private static let videos: Set = ["mkv", "mp4", "mov", "webm", "gif", "avi"]
    private static let pictures: Set = ["jpg", "jpeg", "png"]
    private static let framesPerSecond = 12.0

    /// - Throws: ``Failure`` when the folder is missing or contains no video and no picture.
    static func files(in folder: String) throws -> [String] {
        let kinds = videos.union(pictures)
        let found = ((try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? [])
            .filter { kinds.contains(URL(filePath: $0).pathExtension.lowercased()) }.sorted()
        guard !found.isEmpty else {
            throw Failure(
                .badInput, "folder.empty",
                "\(folder): no videos and no pictures were found; name a folder that contains some")
        }
        return found
    }

    func frames(_ path: String) async throws -> [RGBImage] {
        guard Self.videos.contains(URL(filePath: path).pathExtension.lowercased()) else {
            return [try ImageFile.decode(path)]
        }
        var frames: [RGBImage] = [], index = 0
        for try await frame in try await VideoStream.open(.file(path)) {
            if index.isMultiple(of: every) { frames.append(frame.image) }
            index += 1
        }
        return frames
    }

    /// The clip as a simulated device in front of the camera shows it.
    func onScreen(_ frames: [RGBImage]) -> [RGBImage] {
        var screen = ShownOnScreen(
            RecordedClip(frames, framesPerSecond: Self.framesPerSecond))
        return frames.indices.map {
            screen.image(asked: nil, at: Double($0) / Self.framesPerSecond)
        }
    }

    /// An animated photo; `nil` if attackers would choose another.
    func head(_ photo: RGBImage, seed: UInt64) async throws -> SolidHead? {
        guard let face = try await engine.analyze(photo).main, face.quality.score >= 55,
            abs(face.pose.yaw) < 10, (face.quality[.singleFace]?.value ?? 1) < 0.4
        else { return nil }
        return SolidHead(photo, mesh: face.mesh, reach: 60, seed: seed)
    }

    /// The still phase of an animated photo, injected and on simulated screens.
    func shown(_ head: SolidHead, seed: UInt64) -> [(PresentationReport.Kind, [RGBImage])] {
        func frames(_ actor: some LivenessActor) -> [RGBImage] {
            var actor = actor
            return (0..<Self.minFrames + 2).map {
                actor.image(asked: .keepStill, at: Double($0) / Self.framesPerSecond)
            }
        }
        return [
            (.animated, frames(head)), (.animatedOnScreen, frames(ShownOnScreen(head))),
            (.animatedOnVariedScreen, frames(ShownOnScreen(head, variedBy: seed))),
            (.animatedOnLargeScreen, frames(ShownOnScreen(head, bezel: 0, margin: 0))),
        ]
    }

    func trial(_ frames: [RGBImage], light: LightLevel) async throws -> PresentationTrial {
        var trial = PresentationTrial()
        for (index, frame) in frames.enumerated() {
            let reading = try await engine.reading(
                of: Frame(image: try light.dimmed(frame), time: .milliseconds(index)),
                index: index)
            trial.frames += 1
            guard let face = reading.face, let score = face.presentationAttack else { continue }
            trial.faces += 1
            // As the still phase of sessions.
            guard abs(face.pose.yaw) <= 18, abs(face.pose.pitch) <= 22 else {
                trial.turned += 1
                continue
            }
            switch score.finding {
            case .attack(let attack): trial.attacks.append(attack)
            case .closed(let gate): trial.closed[gate, default: 0] += 1
            }
        }
        return trial
    }
}
