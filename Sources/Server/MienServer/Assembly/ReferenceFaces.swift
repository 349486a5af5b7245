internal import MienCore
internal import MienFace
internal import MienIdentity

/// Compares faces with the model pack that face login uses, and its threshold.
struct ReferenceFaces: SessionFaces {
    let faces: FaceService
    let threshold: MatchScore

    var pack: String { faces.packID.text }

    func faults(of picture: Sensitive<[UInt8]>, for share: WorkShare) async throws -> [String] {
        guard let face = try await faces.face(in: picture, for: share) else {
            return [QualityReason.noFace.rawValue]
        }
        return face.reasons.map(\.rawValue)
    }

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
