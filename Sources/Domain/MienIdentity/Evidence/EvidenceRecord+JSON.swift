public import MienCore

/// The reason a file is not evidence.
public struct EvidenceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The member that is missing or malformed.
    public let member: String

    public var description: String { "\(member) is missing or malformed" }
}

extension EvidenceRecord {
    /// The signed content. ``JSONText`` writes its keys sorted, so that equal records have equal
    /// bytes.
    public var json: JSONValue {
        var members: [String: JSONValue] = [
            "format": .string(Self.format), "attempt": .string(attempt.text),
            "kind": .string(kind?.rawValue ?? Self.session), "app": .string(app.text),
            "begun_at": Self.time(begunAt), "concluded_at": Self.time(concludedAt),
            "sources": .array(sources.map { .string($0) }), "simulated": .bool(isSimulated),
            "checks": .object(
                Dictionary(
                    uniqueKeysWithValues: checks.results.map {
                        ($0.key.rawValue, .string($0.value.rawValue))
                    })),
            "rules_version": .string(rulesVersion),
            "recommendation": .string(recommendation.rawValue), "verified": .bool(isVerified),
            "images": .array(
                images.map {
                    ["role": .string($0.role), "sha256": .string(Base64URL.encode($0.sha256))]
                }),
            "reviews": .array(
                reviews.map {
                    [
                        "decision": .string($0.decision.rawValue),
                        "reviewer": .string($0.reviewer.text), "at": Self.time($0.at),
                    ]
                }),
        ]
        if let user { members["user"] = .string(user.text) }
        if let pack { members["pack"] = .string(pack) }
        return .object(members)
    }

    /// - Throws: ``EvidenceError`` for the first member that is missing, unknown, or malformed.
    public init(_ value: JSONValue) throws(EvidenceError) {
        let reader = EvidenceReader(value)
        guard try reader.text("format") == Self.format else {
            throw EvidenceError(member: "format")
        }
        let known = Set(Self.members)
        if let unknown = (value.objectValue ?? [:]).keys.filter({ !known.contains($0) }).min() {
            throw EvidenceError(member: String(unknown.printable.prefix(64)))
        }
        let isSession = try reader.text("kind") == Self.session
        var checks = IdentityChecks()
        for (key, result) in try reader.object("checks") {
            guard let name = IdentityCheckName(rawValue: key),
                let result = result.stringValue.flatMap(IdentityCheckResult.init(rawValue:))
            else { throw EvidenceError(member: "checks") }
            checks[name] = result
        }
        var images: [Image] = []
        for image in try reader.list("images") {
            let image = EvidenceReader(image)
            guard let hash = Base64URL.decode(try image.text("sha256")),
                let read = Image(role: try image.text("role"), sha256: hash)
            else { throw EvidenceError(member: "images") }
            images.append(read)
        }
        var reviews: [ReviewCase.Entry] = []
        for review in try reader.list("reviews") {
            let review = EvidenceReader(review)
            reviews.append(
                ReviewCase.Entry(
                    decision: try review.word("decision"), reviewer: try review.id("reviewer"),
                    at: try review.time("at")))
        }
        var sources: [String] = []
        for source in try reader.list("sources") {
            guard let source = source.stringValue else { throw EvidenceError(member: "sources") }
            sources.append(source)
        }
        self.init(
            attempt: try reader.id("attempt"), kind: isSession ? nil : try reader.word("kind"),
            user: isSession && value["user"] == nil ? nil : try reader.id("user"),
            app: try reader.id("app"),
            begunAt: try reader.time("begun_at"), concludedAt: try reader.time("concluded_at"),
            sources: sources, isSimulated: try reader.flag("simulated"), checks: checks,
            rulesVersion: try reader.text("rules_version"),
            pack: value["pack"] == nil ? nil : try reader.text("pack"),
            recommendation: try reader.word("recommendation"),
            isVerified: try reader.flag("verified"), images: images, reviews: reviews)
    }

    /// The kind of a verification session.
    private static let session = "session"

    private static let members = [
        "format", "attempt", "kind", "user", "app", "begun_at", "concluded_at", "sources",
        "simulated", "checks", "rules_version", "pack", "recommendation", "verified", "images",
        "reviews",
    ]

    private static func time(_ time: Instant) -> JSONValue {
        .number(Double(time.milliseconds))
    }
}

/// Reads the members of one object.
private struct EvidenceReader {
    let members: [String: JSONValue]

    init(_ value: JSONValue) { members = value.objectValue ?? [:] }

    func required<T>(_ name: String, _ value: T?) throws(EvidenceError) -> T {
        guard let value else { throw EvidenceError(member: name) }
        return value
    }

    func text(_ name: String) throws(EvidenceError) -> String {
        try required(name, members[name]?.stringValue)
    }

    func flag(_ name: String) throws(EvidenceError) -> Bool {
        try required(name, members[name]?.boolValue)
    }

    func object(_ name: String) throws(EvidenceError) -> [String: JSONValue] {
        try required(name, members[name]?.objectValue)
    }

    func list(_ name: String) throws(EvidenceError) -> [JSONValue] {
        let list = try required(name, members[name]?.arrayValue)
        guard list.count <= EvidenceRecord.maxEntries else { throw EvidenceError(member: name) }
        return list
    }

    func word<Word: RawRepresentable<String>>(_ name: String) throws(EvidenceError) -> Word {
        try required(name, Word(rawValue: try text(name)))
    }

    func id<Kind>(_ name: String) throws(EvidenceError) -> Identifier<Kind> {
        try required(name, Identifier<Kind>(try text(name)))
    }

    func time(_ name: String) throws(EvidenceError) -> Instant {
        let number = members[name]?.numberValue.flatMap(Int64.init(exactly:))
        return Instant(milliseconds: try required(name, number))
    }
}
