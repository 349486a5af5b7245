internal import MienAPI
internal import MienCore
internal import MienFace

/// The colors that the screen of a live capture's device shows, and how they are judged.
struct LiveColors: Sendable {
    let mode: LightMode
    let challenge: LightChallenge
}

extension LivenessRules {
    /// Draws colors for the whole session; `nil` if the screen shows none.
    func colors(_ style: CaptureLightStyle?, using generator: inout some RandomNumberGenerator)
        -> LiveColors?
    {
        guard judgesLight, let light, let strength = style?.strength else { return nil }
        return LiveColors(
            mode: light,
            challenge: .drawn(strength, for: .seconds(timeoutSeconds), using: &generator))
    }
}

extension CaptureLightStyle {
    fileprivate var strength: LightChallenge.Style? {
        switch self {
        case .vivid: .vivid
        case .gentle: .gentle
        case .off: nil
        }
    }
}

extension LightChallenge {
    /// How long before it begins a color is revealed. On a connection with a round trip of one
    /// second, the next answer arrives two seconds after this one was written.
    static let ahead: Duration = .seconds(2)

    /// The color at a time of the session, and those that begin soon.
    func due(at time: Duration) -> [CaptureColor] {
        guard let first = index(at: max(.zero, time)) else { return [] }
        return steps.indices.dropFirst(first).prefix { begin(of: $0) <= time + Self.ahead }.map {
            CaptureColor(hex: steps[$0].color.hex, begin: Int(begin(of: $0).milliseconds))
        }
    }
}

extension RGBColor {
    /// `#rrggbb`
    fileprivate var hex: String {
        "#" + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
