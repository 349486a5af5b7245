/// The colors that the capturing device's screen shows, one after another, while the camera looks at
/// the person. The party that judges the session draws them, and reveals each when it is due: a
/// recording, or a picture that a program animates, was lit by other colors or none.
///
/// Colors last 400 ms or more, so there are at most two and a half changes in a second and no three
/// flashes, and none is a saturated red: both as WCAG 2.2 asks (2.3.1). People with photosensitive
/// epilepsy leave the colors out all the same.
public struct LightChallenge: Sendable, Hashable, Codable {
    /// How strong the colors are.
    public enum Style: String, Sendable, CaseIterable, Codable {
        /// Full colors.
        case vivid
        /// Pastel colors, for people whom full ones disturb. They reflect half as strongly.
        case gentle

        /// The value of a channel that a color leaves out.
        var low: UInt8 { self == .vivid ? 0x66 : 0xBC }
    }

    public struct Step: Sendable, Hashable {
        public let color: RGBColor
        /// How long the screen shows the color.
        public let milliseconds: Int

        public init(_ color: RGBColor, milliseconds: Int) {
            (self.color, self.milliseconds) = (color, milliseconds)
        }
    }

    /// The time that a color lasts, in milliseconds.
    public static let stepRange = 400...700
    /// The allowed number of colors: enough for sessions of ten minutes.
    public static let lengths = 2...1500

    public let steps: [Step]
    /// The time at which each step begins, in milliseconds of the frames' clock.
    private let begins: [Int]

    /// A color whose light is red to this share or more is a saturated red: WCAG 2.2.
    private static let saturatedRed = 0.8

    /// - Throws: ``SessionSettingError`` unless there are 2...1,500 colors of 400...700 ms, each
    ///   different from the one before it, and none a saturated red.
    public init(steps: [Step]) throws(SessionSettingError) {
        try SessionSettingError.check(
            Self.lengths.contains(steps.count), "light", "2...1500 colors")
        try SessionSettingError.check(
            steps.allSatisfy { Self.stepRange.contains($0.milliseconds) }, "light",
            "colors of 400...700 ms")
        try SessionSettingError.check(
            zip(steps, steps.dropFirst()).allSatisfy { $0.color != $1.color }, "light",
            "no color twice in a row")
        try SessionSettingError.check(
            steps.allSatisfy {
                let light = LinearLight($0.color)
                return light.red < Self.saturatedRed * 3 * light.mean || light.red == 0
            }, "light", "no saturated red")
        self.init(valid: steps)
    }

    private init(valid steps: [Step]) {
        self.steps = steps
        var begins: [Int] = [], time = 0
        for step in steps {
            begins.append(time)
            time += step.milliseconds
        }
        self.begins = begins
    }

    /// Draws colors for a session: red, green, blue, and the mixtures of two, in random order, for
    /// random times. There are 5 choices for each color after the first, besides its time.
    ///
    /// - Parameter duration: The time that the colors cover at least, up to ten minutes.
    public static func drawn(
        _ style: Style = .vivid, for duration: Duration,
        using generator: inout some RandomNumberGenerator
    ) -> LightChallenge {
        let low = style.low, high = UInt8.max
        let palette = (1...6).map {
            RGBColor($0 & 1 > 0 ? high : low, $0 & 2 > 0 ? high : low, $0 & 4 > 0 ? high : low)
        }
        var steps: [Step] = [], left = max(1, duration.milliseconds)
        while (left > 0 || steps.count < Self.lengths.lowerBound)
            && steps.count < Self.lengths.upperBound
        {
            let color = palette.filter { $0 != steps.last?.color }.randomElement(using: &generator)!
            let step = Step(
                color, milliseconds: Int.random(in: stepRange, using: &generator))
            steps.append(step)
            left -= step.milliseconds
        }
        return LightChallenge(valid: steps)
    }

    /// Returns the index of the color that the screen shows at `time`; `nil` before the first and
    /// after the last.
    ///
    /// - Parameter time: In the frames' clock. The first color begins at zero.
    public func index(at time: Duration) -> Int? {
        let milliseconds = time.milliseconds
        guard time >= .zero, let last = begins.last, milliseconds < last + steps.last!.milliseconds
        else { return nil }
        var low = 0, high = begins.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if begins[middle] <= milliseconds { low = middle } else { high = middle }
        }
        return low
    }

    /// The time at which the color at `index` begins.
    public func begin(of index: Int) -> Duration { .milliseconds(begins[index]) }

    /// Returns the light of the color at `time`; of the first before it, of the last after it.
    package func light(at time: Duration) -> LinearLight {
        let step = time < .zero ? steps[0] : index(at: time).map { steps[$0] } ?? steps.last!
        return LinearLight(step.color)
    }
}

extension LightChallenge {
    private enum CodingKeys: String, CodingKey { case steps }

    public init(from decoder: any Decoder) throws {
        try self.init(
            steps: try decoder.container(keyedBy: CodingKeys.self).decode(
                [Step].self, forKey: .steps))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(steps, forKey: .steps)
    }
}

extension LightChallenge.Step: Codable {
    private enum CodingKeys: String, CodingKey { case red, green, blue, milliseconds }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            RGBColor(
                try values.decode(UInt8.self, forKey: .red),
                try values.decode(UInt8.self, forKey: .green),
                try values.decode(UInt8.self, forKey: .blue)),
            milliseconds: try values.decode(Int.self, forKey: .milliseconds))
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(color.red, forKey: .red)
        try values.encode(color.green, forKey: .green)
        try values.encode(color.blue, forKey: .blue)
        try values.encode(milliseconds, forKey: .milliseconds)
    }
}

extension Duration {
    fileprivate var milliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
    }
}
