internal import MienCore
internal import MienFace
internal import MienIdentity

/// Compares faces of sessions with pictures that apps have of people, with the model pack that face
/// login uses, and its threshold.
package struct SessionFaces: Sendable {
    let faces: FaceService
    let threshold: MatchScore

    /// The model pack that describes faces.
    var pack: String { faces.packID.text }

    /// The problems that keep a picture from being compared, worst first; empty for a good one.
    ///
    /// - Parameter picture: PNG, JPEG, or GIF.
    /// - Throws: ``ServerBusy``.
    func faults(of picture: Sensitive<[UInt8]>, for share: WorkShare) async throws -> [String] {
        guard let face = try await faces.face(in: picture, for: share) else {
            return [QualityReason.noFace.rawValue]
        }
        return face.reasons.map(\.rawValue)
    }

    /// Compares a picture with a face.
    ///
    /// - Throws: ``ServerBusy``.
    func compare(
        _ picture: Sensitive<[UInt8]>, with face: DocumentFace, for share: WorkShare
    ) async throws -> IdentityCheckResult {
        guard let reference = try await faces.face(in: picture, for: share)?.descriptor else {
            return .inconclusive
        }
        let score: MatchScore?
        switch face {
        case .picture(let bytes):
            let other = try await faces.face(in: Sensitive(bytes), for: share)?.descriptor
            score = try other.map { try faces.score(reference, $0) }
        case .live(let bytes):
            score = try faces.score(reference, FaceTemplate(bytes: bytes))
        case .capture: score = nil
        }
        guard let score else { return .inconclusive }
        if score >= threshold { return .passed }
        return score < min(threshold, .portraitMismatch) ? .failed : .inconclusive
    }
}
