import Foundation
import MienFace
import MienModels

/// Cues that might tell a camera's frames from those of a program that animates or replays a
/// recording. None is a check; see docs/measurements/liveness.md for the reasons.
struct InjectionCues: Sendable {
    enum Cue: String, CaseIterable, Encodable {
        /// The change, from the front to a turn, of the logarithm of the brightness of one cheek
        /// divided by that of the other. Light stays where it is when a head turns.
        case shading
        /// The mean correlation, outside the face, of the differences between neighboring frames:
        /// −0.5 for noise that is new in each frame, 0 where a frame is repeated.
        case noise
        /// The mean difference between neighboring frames outside the face, in levels.
        case flicker
        /// The deviation of the times between frames divided by their mean.
        case timing
        /// How much brightness changes across the borders of blocks of 8 pixels, beyond elsewhere.
        case blocks
        /// The same for the strongest other grid of 5 to 12 pixels, as after a change of size.
        case secondGrid = "second_grid"
        /// The logarithm of the change beside the head, from the front to a turn, divided by that
        /// farther away: near things move more than what is behind them.
        case parallax
        /// The correlation of the skin's structures in a turn with those in front, after the mesh
        /// has put each point back: what turns into view was not in a program's photo.
        case texture
    }

    private(set) var values: [Cue: Double] = [:]

    private static let front = 8.0, turned = 15.0...35.0
    /// In parts of a patch: the cheeks beside the nose, which stay visible in these turns.
    private static let right = 0.30...0.42, left = 0.58...0.70, rows = 0.45...0.60

    /// - Parameter times: Those of the frames.
    init(of frames: [RGBImage], at times: [Duration], read by: FaceEngine) async throws {
        var fronts: [Double] = [], turns: [Double] = [], box: Rectangle?
        var faces: [(frame: Int, face: LiveFace)] = []
        for (index, frame) in frames.enumerated() {
            let reading = try await by.reading(
                of: Frame(image: frame, time: .milliseconds(80 * index)), index: index)
            guard let face = reading.face else { continue }
            box = face.box
            faces.append((index, face))
            guard let balance = face.patch.map(Self.balance) else { continue }
            let turn = Double(abs(face.pose.yaw))
            if turn < Self.front { fronts.append(balance) }
            if Self.turned.contains(turn) { turns.append(balance) }
        }
        if !fronts.isEmpty {
            values[.shading] = turns.map { abs($0 - Self.middle(fronts)) }.max()
        }
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
        if !correlations.isEmpty { values[.noise] = Self.middle(correlations) }
        if !differences.isEmpty { values[.flicker] = Self.middle(differences) }
        values[.timing] = Self.irregularity(of: times)
        let grids = stride(from: 0, to: frames.count, by: max(1, frames.count / 8)).map {
            PixelGrids(of: frames[$0])
        }
        values[.blocks] = Self.middle(grids.map(\.blocks))
        values[.secondGrid] = Self.middle(grids.map(\.other))
        addTurn(faces, in: frames)
    }

    /// Compares the most frontal frame with that of the widest usable turn.
    private mutating func addTurn(_ faces: [(frame: Int, face: LiveFace)], in frames: [RGBImage]) {
        func turn(_ face: LiveFace) -> Double { Double(abs(face.pose.yaw)) }
        guard let front = faces.min(by: { turn($0.face) < turn($1.face) }),
            let side = faces.filter({ Self.turned.contains(turn($0.face)) })
                .max(by: { turn($0.face) < turn($1.face) }),
            turn(front.face) < Self.front
        else { return }
        let views = TurnedViews(
            front: frames[front.frame], front.face.mesh, side: frames[side.frame], side.face.mesh)
        values[.parallax] = views.parallax
        values[.texture] = views.texture
    }

    private static func irregularity(of times: [Duration]) -> Double? {
        let steps = zip(times, times.dropFirst()).map { ($1 - $0) / .milliseconds(1) }
        guard steps.count >= 4 else { return nil }
        let mean = steps.reduce(0, +) / Double(steps.count)
        let spread = steps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(steps.count)
        return mean > 0 ? spread.squareRoot() / mean : nil
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
