public import MienFace

/// Finds and reads the machine-readable zone of a document in a picture, in any orientation.
///
/// For one thread at a time; each worker has its own. See `docs/measurements/documents.md` for its
/// error rates.
public struct ZoneReader: ~Copyable {
    private let network: LineNetwork
    private var requests: LineRequests

    /// - Throws: ``InferenceError``.
    public init(_ network: LineNetwork) throws(InferenceError) {
        self.network = network
        requests = try LineRequests(network)
    }

    /// How far the picture is turned, in the order of the attempts.
    private static let stages: [[Double]] = [[0, 90], [22.5, 157.5, 67.5, 112.5], [45, 135]]
    /// Candidates that are tried in each stage.
    private static let candidates = 6

    /// Reads the zone. Returns `nil` when the picture has none.
    ///
    /// - Throws: ``InferenceError`` `.failed`.
    public mutating func read(_ image: RGBImage) throws -> ZoneReading? {
        try read(GrayImage(image))
    }

    mutating func read(_ image: GrayImage) throws -> ZoneReading? {
        let scale = ZoneCandidate.workingSide / Double(max(image.width, image.height))
        let working = image.resized(
            width: max(1, Int((Double(image.width) * scale).rounded())),
            height: max(1, Int((Double(image.height) * scale).rounded())))
        var reader = LineReader(image, requests), best: ZoneReading?, source: ZoneAttempt?
        for angles in Self.stages {
            let found = ZoneCandidate.all(in: working, scale: scale, angles: angles)
            for candidate in found.prefix(Self.candidates) {
                var attempt = ZoneAttempt(candidate)
                guard let reading = try attempt.read(&reader) else { continue }
                if reading.rank > best?.rank ?? -.infinity { (best, source) = (reading, attempt) }
                if let best, best.status != .unsure || best.clarity > -0.06 { break }
            }
            if let best, best.status != .unsure || best.clarity > -0.1 { break }
        }
        if best?.status == .unsure, var source, let again = try source.readAgain(&reader) {
            return again
        }
        return best
    }
}

/// One candidate, read in both directions and as each format.
private struct ZoneAttempt {
    private let candidate: ZoneCandidate
    private var best: ZoneReading?
    /// The lines of the best reading.
    private var lines: [AlignedLine] = []
    private var count = 0

    init(_ candidate: ZoneCandidate) { self.candidate = candidate }

    mutating func read(_ reader: inout LineReader) throws -> ZoneReading? {
        let base = candidate.aligned, flipped: [TextLine] = base.map(\.reversed).reversed()
        var trials: [(score: Double, lines: [TextLine], count: Int)] = []
        for lines in [base, flipped] {
            for count in lines.count == 2 ? [44, 36, 30] : [30, 36, 44] {
                let score = try reader.quickScore(lines[1], count: count)
                trials.append((score, lines, count))
            }
        }
        trials.sort { $0.score > $1.score }
        for trial in trials.prefix(2)
        where trial.score >= -1.6 && trial.score >= trials[0].score - 0.5 {
            try read(trial.lines, trial.count, &reader)
        }
        return best
    }

    private mutating func read(_ lines: [TextLine], _ count: Int, _ reader: inout LineReader) throws
    {
        var readings: [AlignedLine] = []
        for line in lines {
            guard let reading = try reader.read(line, count: count) else { return }
            readings.append(reading)
        }
        let clearest = readings.indices.max { readings[$0].score < readings[$1].score } ?? 0
        let place = readings[clearest].line
        for i in readings.indices
        where i != clearest && readings[i].score < readings[clearest].score - 0.15 {
            // Where it should be, beside the clearest line.
            let v = place.direction.normal
            let offset = v * (lines[i].middle - lines[clearest].middle).dot(v)
            if let again = try reader.read(place + offset, count: count),
                again.score > readings[i].score
            {
                readings[i] = again
            }
        }
        for set in try sets(readings, place, count, &reader) { decode(set, count) }
    }

    /// The lines that may be the zone: with a neighbor, if it has more lines than were found, or
    /// without one.
    private func sets(
        _ readings: [AlignedLine], _ place: TextLine, _ count: Int, _ reader: inout LineReader
    ) throws -> [[AlignedLine]] {
        let needed = count == 30 ? 3 : 2, found = readings.count
        if found >= needed, found == 3 {
            return (0...(found - needed)).map { Array(readings[$0..<$0 + needed]) }
        }
        let v = place.direction.normal
        let spacing = abs((readings[1].line.middle - readings[0].line.middle).dot(v))
        let above = try reader.read(readings[0].line + v * -spacing, count: count)
        let below = try reader.read(readings[found - 1].line + v * spacing, count: count)
        var sets: [[AlignedLine]] = needed == 3 ? [] : [readings]
        if let above { sets.append(needed == 3 ? [above] + readings : [above, readings[0]]) }
        if let below { sets.append(needed == 3 ? readings + [below] : [readings[1], below]) }
        return sets
    }

    private mutating func decode(_ lines: [AlignedLine], _ count: Int) {
        let mean = lines.reduce(0) { $0 + $1.score } / Double(lines.count)
        guard mean >= AlignedLine.minimumScore else { return }
        let cells = lines.map(\.cells)
        for grammar in ZoneGrammar.all(lineLength: count) {
            // A long number has a filler where its check digit otherwise is.
            let filler = grammar.longNumberFiller
            if grammar.isLong, cells[filler.line][filler.column][36] < -6 { continue }
            let reading = ZoneReading(DecodedZone(grammar, cells), lines)
            if reading.rank > best?.rank ?? -.infinity {
                (best, self.lines, self.count) = (reading, lines, count)
            }
        }
    }

    /// Reads the lines of the best reading several times, for characters that are not clear at once.
    mutating func readAgain(_ reader: inout LineReader) throws -> ZoneReading? {
        let count = count
        let again = try lines.map { try reader.again($0, count: count) }
        best = nil
        decode(again, count)
        return best
    }
}
