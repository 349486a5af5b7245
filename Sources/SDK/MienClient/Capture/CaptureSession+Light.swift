public import MienAPI

extension CaptureSession {
    /// Tells the server, before the session starts, that the screen will show colors, or that the
    /// person must not see them. Without it, the session has no colors, and is refused if they are
    /// required.
    ///
    /// Call it if ``CaptureAnswer/light`` of ``status()`` is present, after telling the person what will
    /// happen and letting them choose. Then show the colors with ``LightShow``.
    ///
    /// - Returns: the session's state.
    /// - Throws: ``MienError``; with the problem `not_permitted` if the colors may not be left out:
    ///   offer gentle ones, or another way to sign in. With `invalid_state` if the session has begun.
    @discardableResult
    public func showLight(_ style: CaptureLightStyle) async throws -> CaptureAnswer {
        noted(
            try await connection.json(
                .init(
                    method: .post, path: ["v1", "capture", "light"], bearer: token,
                    body: Connection.encode(CaptureLightRequest(style: .known(style))))))
    }

    /// The time since the live session began, on the clock of its frames and colors; `nil` before.
    public var elapsed: Duration? { live?.now }
}

/// Which color the screen shows when.
///
///     show.note(answer)                                   // each answer of the session
///     let color = await session.elapsed.flatMap { show.color(at: $0) }     // 30 times a second
public struct LightShow: Sendable {
    /// No color gives way to the next sooner, even if answers are late: there are never more than
    /// three changes in a second.
    public static let minimum: Duration = .milliseconds(334)

    private var known: [CaptureColor] = []
    private var shown: (color: CaptureColor, since: Duration)?

    public init() {}

    /// Takes the colors of an answer. An answer that decides the session ends the show.
    public mutating func note(_ answer: CaptureAnswer) {
        guard answer.isOpen else {
            (known, shown) = ([], nil)
            return
        }
        for color in answer.light?.colors ?? []
        where known.last.map({ color.begin > $0.begin }) ?? true {
            known.append(color)
        }
        if known.count > 16 { known.removeFirst(known.count - 16) }
    }

    /// The color to show at a time of the session; `nil` for none. The last known one stays until
    /// another is known.
    public mutating func color(at time: Duration) -> CaptureColor? {
        guard let due = known.last(where: { .milliseconds($0.begin) <= time }) else { return nil }
        if let shown, shown.color == due || time - shown.since < Self.minimum { return shown.color }
        shown = (due, time)
        return due
    }
}

extension CaptureColor {
    /// Red, green, and blue, 0...1, in sRGB; `nil` for another notation.
    public var rgb: (red: Double, green: Double, blue: Double)? {
        guard hex.utf8.count == 7, hex.first == "#",
            hex.dropFirst().allSatisfy({ $0.isASCII && $0.isHexDigit }),
            let value = UInt32(hex.dropFirst(), radix: 16)
        else { return nil }
        func channel(_ shift: UInt32) -> Double { Double(value >> shift & 0xFF) / 255 }
        return (channel(16), channel(8), channel(0))
    }
}
