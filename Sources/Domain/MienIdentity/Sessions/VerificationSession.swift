public import MienCore

/// The state of a verification session: what was captured, and how far it is. Pure: no clock, no
/// storage, no picture.
///
/// A session takes a consent, the kind of document, pictures, and a submission. Its judgment
/// completes it or asks for other pictures, at most ``maxSubmissions`` − 1 times; a judgment that was
/// not possible asks for the same submission again. ``Status/complete``,
/// ``Status/canceled``, and ``Status/expired`` are final.
public struct VerificationSession: Sendable, Hashable, Codable {
    public static let maxSubmissions = 4
    /// The number of pictures that may be sent to one session, accepted or not.
    public static let maxPictures = 40
    /// How often a picture is refused because it is not good enough.
    public static let maxRejections = 2

    public enum Status: String, WireWord {
        case requiresInput = "requires_input"
        /// A judgment is under way.
        case processing
        /// Other pictures are needed, then another submission.
        case recapture
        case complete, canceled, expired

        public var isFinal: Bool { self == .complete || self == .canceled || self == .expired }
        /// Whether the person's input is awaited.
        public var isOpen: Bool { self == .requiresInput || self == .recapture }
    }

    /// Why an input is refused.
    public enum Refusal: String, Error, Sendable, Hashable, CaseIterable {
        /// The session has ended.
        case ended
        /// A judgment is under way.
        case processing
        case consentMissing
        /// The kind of document was not said yet.
        case documentMissing
        /// The session does not need this picture, or not now.
        case notNeeded
        /// Too many pictures were sent.
        case tooManyPictures
        case picturesMissing
    }

    /// The judgment of a submission.
    public enum Judgment: Sendable, Hashable {
        /// Something was not available. The submission does not count and may be repeated.
        case notJudged
        case complete(IdentityRecommendation)
        /// Other pictures are needed; not empty.
        case recapture([SessionRecapture])
    }

    public let parts: Set<SessionPart>
    public let needsConsent: Bool
    public let expiresAt: Instant
    public private(set) var status = Status.requiresInput
    /// The version of the text that the person consented to.
    public private(set) var consentVersion: String?
    public private(set) var document: SessionDocument?
    public private(set) var captured: Set<SessionPicture> = []
    public private(set) var recaptures: [SessionRecapture] = []
    public private(set) var submissions = 0
    public private(set) var pictures = 0
    /// How often a picture was not good enough, by its name.
    public private(set) var rejections: [String: Int] = [:]
    public private(set) var recommendation: IdentityRecommendation?
    public private(set) var endedAt: Instant?

    /// - Precondition: `parts` contains a document or a selfie, and a document if it has to be tilted.
    public init(parts: Set<SessionPart>, needsConsent: Bool = true, expiresAt: Instant) {
        precondition(!parts.isEmpty, "a session needs a document, a selfie, or both")
        precondition(
            parts.contains(.document) || !parts.contains(.documentLive),
            "only a document can be tilted")
        (self.parts, self.needsConsent, self.expiresAt) = (parts, needsConsent, expiresAt)
    }

    /// The pictures of a complete submission. Without the kind of document, both sides.
    public var needed: Set<SessionPicture> {
        var needed: Set<SessionPicture> = parts.contains(.selfie) ? [.selfie] : []
        if parts.contains(.document) {
            needed.formUnion(document?.pictures ?? [.documentFront, .documentBack])
            if parts.contains(.documentLive) { needed.insert(.documentTilt) }
        }
        return needed
    }

    /// The pictures that must still be taken, in order; empty once the session does not take any.
    public var missing: [SessionPicture] {
        status.isOpen ? needed.subtracting(captured).sorted() : []
    }

    // MARK: Input

    public mutating func consent(to version: String) throws(Refusal) {
        try requireOpen()
        consentVersion = version
    }

    /// Says which document will be photographed. Another kind than before drops its pictures.
    ///
    /// - Returns: the pictures that no longer belong to the session.
    @discardableResult
    public mutating func choose(_ document: SessionDocument) throws(Refusal) -> Set<SessionPicture>
    {
        try requireInput()
        guard parts.contains(.document) else { throw .notNeeded }
        guard self.document != document else { return [] }
        self.document = document
        let dropped = captured.filter(\.isOfDocument)
        captured.subtract(dropped)
        recaptures.removeAll { $0.picture.isOfDocument }
        return dropped
    }

    /// Counts a picture before it is decoded.
    ///
    /// - Throws: ``Refusal``, in which case nothing is counted.
    public mutating func receive(_ picture: SessionPicture) throws(Refusal) {
        try requireInput()
        guard !picture.isOfDocument || document != nil || !parts.contains(.document) else {
            throw .documentMissing
        }
        guard needed.contains(picture) else { throw .notNeeded }
        guard pictures < Self.maxPictures else { throw .tooManyPictures }
        pictures += 1
    }

    /// Takes a picture that was received and is good enough. It replaces an earlier one.
    public mutating func take(_ picture: SessionPicture) throws(Refusal) {
        try requireInput()
        guard needed.contains(picture), !picture.isOfDocument || document != nil else {
            throw .notNeeded
        }
        captured.insert(picture)
        recaptures.removeAll { $0.picture == picture }
    }

    /// Notes that a picture was not good enough.
    ///
    /// - Returns: `false` if that happened ``maxRejections`` times before: then whatever can be
    ///   decoded is good enough, and the judgment decides.
    public mutating func reject(_ picture: SessionPicture) -> Bool {
        guard mayReject(picture) else { return false }
        rejections[picture.rawValue, default: 0] += 1
        return true
    }

    /// Whether another submission may follow if this one has to be repeated.
    public var mayAskAgain: Bool { submissions < Self.maxSubmissions }

    /// Whether ``reject(_:)`` would refuse the picture.
    public func mayReject(_ picture: SessionPicture) -> Bool {
        rejections[picture.rawValue] ?? 0 < Self.maxRejections
    }

    /// Begins the judgment. A person who cannot tilt the document, or has no camera, goes on
    /// without: the check is then not made.
    public mutating func submit() throws(Refusal) {
        try requireInput()
        guard missing.allSatisfy({ $0 == .documentTilt }) else { throw .picturesMissing }
        (status, recaptures) = (.processing, [])
        submissions += 1
    }

    // MARK: Ends

    /// Applies the judgment of a submission. If pictures are still unreadable after the last one, the
    /// session expires: nothing was judged, so nobody is denied.
    ///
    /// - Returns: `false`, leaving the state unchanged, unless a judgment is under way: a result that
    ///   arrives twice, or after a cancellation, changes nothing.
    public mutating func judge(_ judgment: Judgment, at now: Instant) -> Bool {
        guard status == .processing else { return false }
        switch judgment {
        case .notJudged:
            status = .recapture
            submissions -= 1
        case .complete(let recommendation): end(.complete, recommendation, at: now)
        case .recapture where submissions >= Self.maxSubmissions: end(.expired, nil, at: now)
        case .recapture(let wanted):
            status = .recapture
            recaptures = wanted.filter { needed.contains($0.picture) }
            captured.subtract(recaptures.map(\.picture))
        }
        return true
    }

    /// - Returns: whether the session was canceled now.
    public mutating func cancel(at now: Instant) -> Bool {
        guard !status.isFinal else { return false }
        end(.canceled, nil, at: now)
        return true
    }

    /// Ends a session that waits for input when its time is over. A judgment under way goes on.
    ///
    /// - Returns: whether the session expired now.
    public mutating func expire(at now: Instant) -> Bool {
        guard status.isOpen, now >= expiresAt else { return false }
        end(.expired, nil, at: now)
        return true
    }

    private mutating func end(
        _ status: Status, _ recommendation: IdentityRecommendation?, at now: Instant
    ) {
        (self.status, self.recommendation, endedAt) = (status, recommendation, now)
        recaptures = []
    }

    private func requireOpen() throws(Refusal) {
        if status.isFinal { throw .ended }
        if status == .processing { throw .processing }
    }

    private func requireInput() throws(Refusal) {
        try requireOpen()
        if needsConsent, consentVersion == nil { throw .consentMissing }
    }
}
