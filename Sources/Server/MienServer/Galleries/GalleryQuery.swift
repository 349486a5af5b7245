public import MienCore
public import MienFace

/// A face, and where to look for those that look like it.
///
/// It represents a person's face, so printing or dumping it shows nothing.
public struct GalleryQuery: Sendable {
    /// The maximum number of candidates that a search returns.
    public static let maxLimit = 64
    /// The maximum number of faces that a search leaves out.
    public static let maxExceptions = 16

    public let app: AppID
    /// The model pack that made the probe.
    public let pack: PackID
    /// The unit vector of the face.
    let probe: [Float]
    /// The statistics of the probe, by which a server whose pack has another cohort is recognized.
    let statistics: CohortStatistics
    /// 1...``maxLimit``.
    public let limit: Int
    /// Faces with lower scores are left out.
    public let threshold: MatchScore
    /// Faces that are left out, such as those of the probe's own account; at most
    /// ``maxExceptions``.
    public let exceptions: [AuthenticatorID]

    /// - Precondition: `limit` and the number of `exceptions` are in range.
    public init(
        app: AppID, pack: PackID, probe: Reference, limit: Int, threshold: MatchScore,
        except exceptions: [AuthenticatorID] = []
    ) {
        self.init(
            app: app, pack: pack, vector: probe.vector, statistics: probe.statistics,
            limit: limit, threshold: threshold, except: exceptions)
    }

    init(
        app: AppID, pack: PackID, vector: [Float], statistics: CohortStatistics, limit: Int,
        threshold: MatchScore, except exceptions: [AuthenticatorID]
    ) {
        precondition((1...Self.maxLimit).contains(limit), "the limit is out of range")
        precondition(exceptions.count <= Self.maxExceptions, "too many exceptions")
        (self.app, self.pack, probe, self.statistics) = (app, pack, vector, statistics)
        (self.limit, self.threshold, self.exceptions) = (limit, threshold, exceptions)
    }

    /// The probe for `matcher`.
    ///
    /// - Returns: `nil` if another matcher made it.
    func reference(for matcher: FaceMatcher) -> Reference? {
        guard let reference = try? matcher.reference(for: probe),
            reference.statistics == statistics
        else { return nil }
        return reference
    }
}

extension GalleryQuery: CustomStringConvertible, CustomReflectable {
    public var description: String { "‹sensitive›" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The result of a search of parts.
public struct GalleryAnswer: Sendable, Equatable {
    public struct Candidate: Sendable, Equatable {
        public let face: AuthenticatorID
        public let normalizedScore: Float

        public init(face: AuthenticatorID, normalizedScore: Float) {
            (self.face, self.normalizedScore) = (face, normalizedScore)
        }
    }

    /// The best ones first, and of those with equal scores the lower IDs first.
    public var candidates: [Candidate] = []
    /// The number of faces that could not be read.
    public var damaged = 0
    /// The parts that were searched completely.
    public var parts: Set<GalleryPart> = []

    public init() {}

    /// Adds what a search of other parts found.
    mutating func merge(_ other: GalleryAnswer, limit: Int) {
        let candidates = [self, other].map { answer in
            answer.candidates.map {
                // The score follows from the normalized one.
                Gallery<AuthenticatorID>.Candidate(
                    id: $0.face, normalizedScore: $0.normalizedScore, score: MatchScore(0))
            }
        }
        self.candidates = PartitionedGallery.best(of: candidates, limit: limit).map {
            Candidate(face: $0.id, normalizedScore: $0.normalizedScore)
        }
        damaged += other.damaged
        parts.formUnion(other.parts)
    }

    /// - Parameters:
    ///   - found: The best candidates of one or more searches, of at least `limit` and as many as
    ///     there are `exceptions` each.
    init(
        _ found: [[Gallery<FaceKey>.Candidate]], limit: Int, except exceptions: Set<FaceKey>,
        damaged: Int, parts: Set<GalleryPart>
    ) {
        let best = PartitionedGallery.best(of: found, limit: limit + exceptions.count)
        candidates = best.filter { !exceptions.contains($0.id) }.prefix(limit).compactMap {
            candidate in
            candidate.id.id.map {
                Candidate(face: $0, normalizedScore: candidate.normalizedScore)
            }
        }
        (self.damaged, self.parts) = (damaged, parts)
    }
}
