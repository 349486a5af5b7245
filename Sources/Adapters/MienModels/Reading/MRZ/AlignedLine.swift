/// A line whose characters have been found: for each, the logarithms of the probabilities of
/// `0`–`9`, `A`–`Z`, and `<`.
struct AlignedLine {
    static let classes = 37

    /// The mean score of the characters; right readings have −0.05 or more, other text −0.64 or
    /// less.
    var score: Double
    /// The frame of each character.
    var frames: [Int]
    var cells: [[Float]]
    var line: TextLine
    var pitch: Double

    /// The smallest score with which lines are decoded.
    static let minimumScore = -0.3
}

extension AlignedLine {
    /// Finds `count` characters by dynamic programming: 6 to 10 frames from one to the next, at a
    /// cost of 0.12 (d − 8)².
    static func align(_ scores: FrameScores, count: Int) -> (score: Double, frames: [Int])? {
        let t = scores.frames
        guard t >= count * 7 else { return nil }
        let best = (0..<t).map { frame -> Float in
            var peak = -Float.infinity
            for c in 0..<classes { peak = max(peak, scores[frame, c]) }
            return peak
        }
        var smooth = best
        for i in 1..<t - 1 { smooth[i] = (best[i - 1] + 2 * best[i] + best[i + 1]) / 4 }
        // Characters before the first and after the last count against it.
        var outside = [Float(0)]
        for value in best {
            outside.append((outside.last ?? 0) - max(0, value.exponential - 0.5) / 4)
        }
        let penalties = (6...10).map { 0.12 * Float(($0 - 8) * ($0 - 8)) }
        var row = (0..<t).map { smooth[$0] + outside[$0] }
        var steps: [[UInt8]] = []
        for _ in 1..<count {
            var next = [Float](repeating: -1e9, count: t), step = [UInt8](repeating: 0, count: t)
            for d in 6...10 {
                for i in d..<t {
                    let value = row[i - d] - penalties[d - 6]
                    if value > next[i] { (next[i], step[i]) = (value, UInt8(d)) }
                }
            }
            for i in 0..<t { next[i] += smooth[i] }
            row = next
            steps.append(step)
        }
        let total = outside[t]
        var end = 0
        for i in 1..<t where row[i] + total - outside[i + 1] > row[end] + total - outside[end + 1] {
            end = i
        }
        var frames = [end]
        for step in steps.reversed() {
            frames.append(frames[frames.count - 1] - Int(step[frames[frames.count - 1]]))
        }
        return (Double(row[end] + total - outside[end + 1]) / Double(count), frames.reversed())
    }

    /// The classes' probabilities, averaged over a character's three middle frames.
    static func cell(_ scores: FrameScores, at frame: Int) -> [Float] {
        var mean = [Float](repeating: 0, count: classes)
        let range = max(0, frame - 1)..<min(scores.frames, frame + 2)
        for t in range {
            var part = [Float](repeating: 0, count: classes), sum: Float = 0
            for c in 0..<classes {
                part[c] = scores[t, c].exponential
                sum += part[c]
            }
            for c in 0..<classes { mean[c] += part[c] / max(sum, 1e-30) / Float(range.count) }
        }
        let sum = mean.reduce(0) { $0 + $1 + 1e-5 }
        return mean.map { (($0 + 1e-5) / sum).logarithm }
    }
}

/// Reads lines at given places of a picture. For one thread at a time.
struct LineReader {
    private var cutter: StripCutter
    private(set) var requests: LineRequests

    init(_ image: GrayImage, _ requests: LineRequests) {
        (cutter, self.requests) = (StripCutter(image), requests)
    }

    private static func pitch(_ line: TextLine, _ count: Int) -> Double {
        line.length / (Double(count) - 0.15)
    }

    private mutating func scores(
        _ line: TextLine, _ pitch: Double, _ count: Int, stretch: Double = 1
    ) throws -> FrameScores {
        let strip = cutter.strip(
            line, pitch: pitch, columns: LineNetwork.columns(count), rows: StripCutter.rows,
            margin: StripCutter.margin, stretch: stretch)
        return try requests.read(strip.normalizedStrip, length: count)
    }

    /// The score of a line as `count` characters, after a single pass.
    mutating func quickScore(_ line: TextLine, count: Int) throws -> Double {
        let pitch = Self.pitch(line, count)
        let centered = cutter.centered(line, pitch: pitch)
        return AlignedLine.align(try scores(centered, pitch, count), count: count)?.score ?? -9
    }

    /// Reads a line of `count` characters, then again at the place and pitch that the first pass
    /// found. Returns the better reading.
    mutating func read(_ line: TextLine, count: Int) throws -> AlignedLine? {
        var pitch = Self.pitch(line, count)
        var place = cutter.centered(line, pitch: pitch), best: AlignedLine?
        for pass in 0..<2 {
            let scores = try scores(place, pitch, count)
            guard let found = AlignedLine.align(scores, count: count) else { break }
            let cells = found.frames.map { AlignedLine.cell(scores, at: $0) }
            let reading = AlignedLine(
                score: found.score, frames: found.frames, cells: cells, line: place, pitch: pitch)
            if found.score > best?.score ?? -.infinity { best = reading }
            guard pass == 0 else { break }
            let sure = (0..<count).filter { (cells[$0].max() ?? -9).exponential > 0.5 }
            guard Double(sure.count) >= Double(count) * 0.4 else { break }
            let fit = FittedLine(sure.map { (x: Double($0), y: Double(found.frames[$0])) })
            let u = place.direction, perFrame = pitch / 8, start = place.start
            func at(_ frame: Double) -> Vector {
                start + u * ((frame + 0.25) * perFrame - StripCutter.margin * pitch)
            }
            let refined = TextLine(
                start: at(fit.offset - fit.slope * 0.5),
                end: at(fit.offset + fit.slope * (Double(count) - 0.5)))
            pitch *= fit.slope / 8
            guard pitch > 0.5, refined.length > 8 else { break }
            place = cutter.centered(refined, pitch: pitch)
        }
        return best
    }

    /// A slightly different place for a line: shares of the pitch by which it is lower, and factors
    /// of its characters' distance and height.
    private static let looks: [(lower: Double, pitch: Double, stretch: Double)] = [
        (0.07, 1, 1), (-0.07, 1, 1), (0, 1, 0.9), (0, 1, 1.12), (0, 1.03, 1), (0, 0.97, 1),
    ]

    /// Reads a line again at places that differ a little, and averages the characters'
    /// probabilities. Where characters are a few pixels wide, each look shows other details.
    mutating func again(_ line: AlignedLine, count: Int) throws -> AlignedLine {
        var sums = line.cells.map { $0.map(\.exponential) }, looks: Float = 1
        for look in Self.looks {
            let v = line.line.direction.normal
            let place = line.line + v * (look.lower * line.pitch)
            let scores = try scores(
                place, line.pitch * look.pitch, count, stretch: look.stretch)
            guard let found = AlignedLine.align(scores, count: count),
                found.score > line.score - 0.3
            else { continue }
            for (k, frame) in found.frames.enumerated() {
                let cell = AlignedLine.cell(scores, at: frame)
                for c in cell.indices { sums[k][c] += cell[c].exponential }
            }
            looks += 1
        }
        var out = line
        out.cells = sums.map { $0.map { ($0 / looks).logarithm } }
        return out
    }
}
