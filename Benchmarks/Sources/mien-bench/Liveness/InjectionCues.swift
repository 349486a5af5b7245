import Foundation
import MienFace
import MienModels
import MienPixels

/// Cues that might tell a camera's frames from those of a program that animates a photo. None is a
/// check; see docs/measurements/liveness.md for the reasons.
struct InjectionCues {
    /// The change, from the front to a turn, of the logarithm of the brightness of one cheek divided
    /// by that of the other. Light stays where it is when a head turns.
    let shading: Double?
    /// The mean correlation, outside the face, of the differences between neighboring frames: −0.5
    /// for noise that is new in each frame, 0 where a frame is repeated.
    let noise: Double?
    /// The mean difference between neighboring frames outside the face, in levels.
    let flicker: Double?

    private static let front = 8.0, turned = 15.0...35.0
    /// In parts of a patch: the cheeks beside the nose, which stay visible in these turns.
    private static let right = 0.30...0.42, left = 0.58...0.70, rows = 0.45...0.60

    init(of frames: [RGBImage], read by: FaceEngine) async throws {
        var fronts: [Double] = [], turns: [Double] = [], box: Rectangle?
        for (index, frame) in frames.enumerated() {
            let reading = try await by.reading(
                of: Frame(image: frame, time: .milliseconds(80 * index)), index: index)
            guard let face = reading.face else { continue }
            box = face.box
            guard let balance = face.patch.map(Self.balance) else { continue }
            let turn = Double(abs(face.pose.yaw))
            if turn < Self.front { fronts.append(balance) }
            if Self.turned.contains(turn) { turns.append(balance) }
        }
        shading =
            fronts.isEmpty || turns.isEmpty
            ? nil : turns.map { abs($0 - Self.middle(fronts)) }.max()
        let outside = frames.map { Self.outside($0, box) }
        var correlations: [Double] = [], differences: [Double] = []
        for index in frames.indices.dropFirst(2) {
            let (a, b, c) = (outside[index - 2], outside[index - 1], outside[index])
            guard a.count == b.count, b.count == c.count, !a.isEmpty else { continue }
            let first = zip(a, b).map { $1 - $0 }, second = zip(b, c).map { $1 - $0 }
            differences.append(first.reduce(0) { $0 + abs($1) } / Double(first.count))
            let product = zip(first, second).reduce(0) { $0 + $1.0 * $1.1 }
            let scale = (Self.power(first) * Self.power(second)).squareRoot()
            correlations.append(scale == 0 ? 0 : product / scale)
        }
        noise = correlations.isEmpty ? nil : Self.middle(correlations)
        flicker = differences.isEmpty ? nil : Self.middle(differences)
    }

    private static func power(_ values: [Double]) -> Double { values.reduce(0) { $0 + $1 * $1 } }

    private static func middle(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private static func balance(of patch: FacePatch) -> Double {
        func mean(_ columns: ClosedRange<Double>) -> Double {
            let side = FacePatch.side
            var sum = 0.0, count = 0.0
            for y in Int(rows.lowerBound * Double(side))..<Int(rows.upperBound * Double(side)) {
                for x in Int(
                    columns.lowerBound * Double(side))..<Int(
                        columns.upperBound * Double(side))
                {
                    sum += Double(patch.brightness[y * side + x])
                    count += 1
                }
            }
            return max(1, sum / count)
        }
        return log(mean(left) / mean(right))
    }

    /// The green of pixels far from the face.
    private static func outside(_ image: RGBImage, _ box: Rectangle?) -> [Double] {
        guard let box else { return [] }
        var values: [Double] = []
        for y in stride(from: 0, to: image.height, by: 2) {
            for x in stride(from: 0, to: image.width, by: 2) {
                let dx = abs(Double(x) - box.center.x) / max(1, box.width)
                let dy = abs(Double(y) - box.center.y) / max(1, box.height)
                if dx > 0.9 || dy > 1.1 { values.append(Double(image[x, y].green)) }
            }
        }
        return values
    }
}
