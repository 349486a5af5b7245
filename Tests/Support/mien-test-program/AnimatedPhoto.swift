import MienCore
import MienDevice
import MienFace
import MienMedia
import MienModels
import MienTesting

/// Frames of a photo's face, rendered with depth, that does what a session asks for.
final class AnimatedPhoto: Sendable {
    private let photo: RGBImage
    private let mesh: FaceMesh
    private let asked = Locked<LivenessAction?>(nil)

    /// - Throws: if the file cannot be read or shows no face.
    init(_ path: String, _ engine: FaceEngine) async throws {
        let whole = try ImageFile.decode(path)
        guard let box = try await engine.analyze(whole).main?.detection.box else { throw NoFace() }
        // The face and its surroundings, so that frames are small.
        let side = min(whole.width, whole.height, Int(2.6 * box.width))
        let left = min(max(0, Int(box.center.x) - side / 2), whole.width - side),
            top = min(max(0, Int(box.center.y) - side / 2), whole.height - side)
        photo = whole.reduced(by: 1, x: left, y: top, width: side, height: side).resized(
            width: 240, height: 240)
        guard let mesh = try await engine.analyze(photo).main?.mesh else { throw NoFace() }
        self.mesh = mesh
    }

    struct NoFace: Error {}

    /// Does from now on what this event asks for.
    func follow(_ event: FrameEvent) { asked.withLock { $0 = event.action } }

    /// Frames that begin again for each capture, ten per second of their own time.
    var frames: FaceFrames {
        FaceFrames { [self] in
            asked.withLock { $0 = nil }
            return Source(owner: self)
        }
    }

    private struct Source: FrameSource {
        let owner: AnimatedPhoto

        func makeAsyncIterator() -> Iterator {
            Iterator(
                owner: owner, head: SolidHead(owner.photo, mesh: owner.mesh, reach: 40), number: 0)
        }

        struct Iterator: AsyncIteratorProtocol {
            let owner: AnimatedPhoto
            var head: SolidHead
            var number: Int

            mutating func next() async throws(FrameSourceError) -> Frame? {
                try await next(isolation: nil)
            }

            mutating func next(isolation _: isolated (any Actor)?) async throws(FrameSourceError)
                -> Frame?
            {
                if Task.isCancelled { throw FrameSourceError(.cancelled, "canceled") }
                let time = Double(number) / 10
                number += 1
                return Frame(
                    image: head.image(asked: owner.asked.withLock { $0 }, at: time),
                    time: .seconds(time))
            }
        }
    }
}

/// A camera that opens, but delivers nothing.
struct SilentFrames: FrameSource {
    func makeAsyncIterator() -> Iterator { Iterator() }

    struct Iterator: AsyncIteratorProtocol {
        mutating func next() async throws(FrameSourceError) -> Frame? {
            try await next(isolation: nil)
        }

        mutating func next(isolation _: isolated (any Actor)?) async throws(FrameSourceError)
            -> Frame?
        {
            try? await Task.sleep(for: .seconds(3600))
            throw FrameSourceError(.cancelled, "canceled")
        }
    }
}
