internal import Foundation
internal import MienAPI

/// Collects pictures of a document while it is tilted, until they show it from directions that
/// differ enough. The same rules as those of the web page.
struct TiltGuide: Sendable {
    struct Advice: Sendable, Equatable {
        let word: String
        let isGood: Bool
        /// The pictures, once there are enough.
        let pictures: [[UInt8]]?
    }

    private struct Kept {
        let normal: [Double]
        let jpeg: [UInt8]
    }

    private static let frames = 6...8
    /// The angle between two pictures, and the least angle to all others, in degrees.
    private static let spread = 14.0, step = 1.5

    private var kept: [Kept] = []
    private var word = SteadyWord()

    /// How much has been done, 0...1.
    var progress: Double {
        (min(1, Double(kept.count) / Double(Self.frames.lowerBound))
            + min(1, spread / Self.spread)) / 2
    }

    private var spread: Double {
        kept.indices.flatMap { k in
            kept[(k + 1)...].map { Self.angle(kept[k].normal, $0.normal) }
        }.max() ?? 0
    }

    /// - Parameters:
    ///   - preview: The server's answer about the picture.
    ///   - ratio: The picture's width divided by its height.
    mutating func take(_ preview: VerificationPreviewAnswer, _ jpeg: [UInt8], ratio: Double)
        -> Advice
    {
        // Reflections are what this is about.
        let fault = preview.faults.first { $0 != "glare" }
        let normal = fault == nil ? Self.facing(preview.corners, ratio) : nil
        if let normal, kept.allSatisfy({ Self.angle($0.normal, normal) >= Self.step }) {
            keep(Kept(normal: normal, jpeg: jpeg))
        }
        let found = normal == nil ? fault ?? "no_document" : "tilt"
        let isDone = kept.count >= Self.frames.lowerBound && spread >= Self.spread
        return Advice(
            word: word.next(found, isCertain: normal != nil), isGood: normal != nil,
            pictures: isDone ? kept.map(\.jpeg) : nil)
    }

    /// If there are too many, drops the one whose direction the others show best.
    private mutating func keep(_ picture: Kept) {
        kept.append(picture)
        guard kept.count > Self.frames.upperBound else { return }
        let nearest = kept.indices.map { k in
            kept.indices.filter { $0 != k }.map { Self.angle(kept[k].normal, kept[$0].normal) }
                .min() ?? 0
        }
        if let least = nearest.indices.min(by: { nearest[$0] < nearest[$1] }) {
            kept.remove(at: least)
        }
    }

    // MARK: Directions

    /// The direction that a document faces: of length 1, right, down, and away from the camera.
    /// `nil` without four corners in a proper shape.
    static func facing(_ corners: [[Double]]?, _ ratio: Double) -> [Double]? {
        guard let corners, corners.count == 4, corners.allSatisfy({ $0.count == 2 }) else {
            return nil
        }
        // Most phones' main cameras have a focal length of 0.9 of the picture's longer side.
        let (w, h) = ratio >= 1 ? (1 / 0.9, 1 / ratio / 0.9) : (ratio / 0.9, 1 / 0.9)
        let rays = corners.map { [($0[0] - 0.5) * w, ($0[1] - 0.5) * h, 1] }
        // Parallel sides meet at a vanishing point, in the direction of both.
        func direction(_ a: Int, _ b: Int, _ c: Int, _ d: Int) -> [Double] {
            unit(cross(cross(rays[a], rays[b]), cross(rays[d], rays[c])))
        }
        let normal = cross(direction(0, 1, 2, 3), direction(1, 2, 3, 0))
        guard length(normal) > 0.2 else { return nil }
        return unit(normal[2] > 0 ? normal.map { -$0 } : normal)
    }

    static func angle(_ a: [Double], _ b: [Double]) -> Double {
        let dot = zip(a, b).reduce(0) { $0 + $1.0 * $1.1 }
        return atan2(length(cross(a, b)), dot) * 180 / .pi
    }

    private static func cross(_ a: [Double], _ b: [Double]) -> [Double] {
        [
            a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0],
        ]
    }
    private static func length(_ v: [Double]) -> Double {
        v.reduce(0) { $0 + $1 * $1 }.squareRoot()
    }
    private static func unit(_ v: [Double]) -> [Double] {
        let length = length(v)
        return length == 0 ? v : v.map { $0 / length }
    }
}
