public import MienCore

/// That a device may use a product until a time: a signed message (ES256) of a server's, checked
/// without asking it again.
public struct Licence: Sendable, Hashable {
    /// The message's `typ`.
    public static let type = "mien-licence+jwt"
    /// What a device calls itself: 32 bytes in base64url.
    public static let deviceLength = 43
    /// Clocks that are a day behind are forgiven, not more. A licence's end is judged by the latest
    /// time seen: see ``judge(_:signedBy:product:device:at:latestSeen:)``.
    public static let clockTolerance = Duration.seconds(86_400)

    /// 1...64 of a-z, 0-9, `.` and `-`.
    public let product: String
    public let device: String
    public let issuedAt, expiresAt: Instant

    /// What became of a licence that was looked at.
    public enum Verdict: Sendable, Hashable {
        case valid(Licence)
        /// Its time is over.
        case expired(Licence)
        /// The clock stands more than a day before the licence was issued, or before the latest
        /// time that was seen.
        case clockBehind(Licence)
        case otherDevice
        case otherProduct
        /// Changed, signed by somebody else, or no licence.
        case notGenuine

        public var isValid: Bool { if case .valid = self { true } else { false } }
    }

    /// - Parameters:
    ///   - text: the compact form.
    ///   - key: of the server that the device was activated at.
    ///   - latestSeen: the latest `now` of earlier judgements. A clock that was set back lengthens
    ///     nothing that had run out by then. What this cannot see:
    ///     a clock that is set back by less than a day before each use.
    public static func judge(
        _ text: String, signedBy key: DevicePublicKey, product: String, device: String,
        at now: Instant, latestSeen: Instant? = nil
    ) -> Verdict {
        guard let message = try? JWS.parse(compact: text, limits: .init(maxBytes: 4096)),
            message.type == type,
            let payload = (try? message.verify(with: key))?.payload,
            let licence = Licence(payload: payload)
        else { return .notGenuine }
        guard licence.product == product else { return .otherProduct }
        guard licence.device == device else { return .otherDevice }
        let seen = latestSeen ?? now
        guard max(now, seen) < licence.expiresAt else { return .expired(licence) }
        guard max(licence.issuedAt, seen) <= now + clockTolerance else {
            return .clockBehind(licence)
        }
        return .valid(licence)
    }

    private init?(payload: [UInt8]) {
        guard let claims = (try? JSONText.parse(payload))?.objectValue,
            let product = claims["product"]?.stringValue,
            let device = claims["device"]?.stringValue,
            let issued = claims["iat"]?.numberValue.flatMap({ Int64(exactly: $0) }),
            let end = claims["exp"]?.numberValue.flatMap({ Int64(exactly: $0) }),
            (0..<1 << 40).contains(issued), (0..<1 << 40).contains(end), Self.isProduct(product),
            Self.isDevice(device)
        else { return nil }
        (self.product, self.device) = (product, device)
        (issuedAt, expiresAt) = (
            Instant(milliseconds: issued * 1000), Instant(milliseconds: end * 1000)
        )
    }

    public static func isProduct(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (97...122).contains($0) || (48...57).contains($0) || $0 == 45 || $0 == 46
            }
    }

    public static func isDevice(_ text: String) -> Bool {
        text.utf8.count == deviceLength && Base64URL.decode(text)?.count == 32
    }
}
