internal import MienAPI

/// Judges the previews of one side: says one thing at a time, and takes the picture once the document
/// is good and still. The same rules as those of the web page (`Web/Assets/document-guide.js`).
struct DocumentGuide: Sendable {
    struct Advice: Sendable, Equatable {
        let word: String
        let isGood: Bool
        /// Take the picture now.
        let shoots: Bool
    }

    /// How many previews in a row must be good, and for how long, so that nobody is surprised.
    private static let frames = 3, time = Duration.milliseconds(700)
    /// The greatest movement between two of them, in parts of the picture.
    private static let still = 0.03

    private var last: [[Double]]?
    private var good = 0, since = Duration.zero
    private var word: SteadyWord = .init()

    /// - Parameter now: The time of the preview, since any fixed moment.
    mutating func take(_ preview: VerificationPreviewAnswer, at now: Duration) -> Advice {
        let isGood = preview.ready && preview.corners != nil
        let isSame = isGood && good > 0 && Self.drift(last, preview.corners) <= Self.still
        if !isSame { since = now }
        good = isSame ? good + 1 : isGood ? 1 : 0
        last = preview.corners
        let found =
            isGood
            ? "hold_still"
            : preview.faults.first ?? (preview.corners == nil ? "no_document" : "hold_still")
        let shoots = good >= Self.frames && now - since >= Self.time
        if shoots { good = 0 }
        return Advice(word: word.next(found, isCertain: isGood), isGood: isGood, shoots: shoots)
    }

    /// The greatest distance that a corner moved. The server may name the same corners beginning
    /// with another one.
    static func drift(_ before: [[Double]]?, _ now: [[Double]]?) -> Double {
        guard let before, let now, before.count == now.count, !now.isEmpty else { return .infinity }
        return now.indices.map { shift in
            now.indices.map { k in
                let a = now[k], b = before[(k + shift) % before.count]
                guard a.count == 2, b.count == 2 else { return .infinity }
                return ((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])).squareRoot()
            }.max() ?? .infinity
        }.min() ?? .infinity
    }
}

/// A fault of a single preview is not mentioned: words that change all the time cannot be followed.
struct SteadyWord: Sendable {
    private var shown: String?
    private var coming: String?

    mutating func next(_ word: String, isCertain: Bool) -> String {
        if shown == nil || isCertain || word == coming { shown = word }
        coming = word
        return shown ?? word
    }
}

/// How large previews are and how often they are sent, by how long the last ones took.
struct PreviewPace: Sendable {
    private static let levels: [(side: Int, quality: Double)] = [
        (1280, 0.75), (1280, 0.6), (1280, 0.45), (960, 0.45),
    ]

    private var level = 0
    private var changed = Duration.zero
    private(set) var roundTrip: Duration?

    var side: Int { Self.levels[level].side }
    var quality: Double { Self.levels[level].quality }
    /// The time to the next preview: the server and the connection rest for half of the time.
    var pause: Duration {
        min(.milliseconds(1500), max(.milliseconds(150), (roundTrip ?? .zero) / 2))
    }

    mutating func took(_ time: Duration, at now: Duration) {
        let average = roundTrip.map { ($0 + time) / 2 } ?? time
        roundTrip = average
        if average > .milliseconds(900), now - changed > .milliseconds(1500) {
            step(1, now)
        } else if average < .milliseconds(350), now - changed > .seconds(4) {
            step(-1, now)
        }
    }

    /// A preview was larger than the server accepts.
    mutating func tooLarge(at now: Duration) { step(1, now) }

    private mutating func step(_ by: Int, _ now: Duration) {
        guard Self.levels.indices.contains(level + by) else { return }
        (level, changed) = (level + by, now)
    }
}
