package import MienCore
internal import MienFace
internal import MienIdentity

/// The scores that decide whether a face is that of a portrait.
package struct PortraitThresholds: Sendable {
    /// From this score on, the face is the portrait's.
    package let match: MatchScore
    /// Below this score, it is somebody else's. In between, a person decides.
    package let review: MatchScore

    package init(match: MatchScore) {
        self.match = match
        review = min(match, .portraitMismatch)
    }
}

extension DocumentCheckService {
    /// Compares the portrait with the face that belongs to the document, if one does.
    ///
    /// - Returns: The pictures that have to be taken again.
    func compare(
        _ portrait: FaceService.ReadFace?, with face: DocumentSubmission.Face?,
        for share: WorkShare,
        into checks: inout IdentityChecks
    ) async throws -> [DocumentRecapture] {
        guard let face else { return [] }
        var recapture: [DocumentRecapture] = []
        if let fault = Self.fault(of: portrait, in: .front) { recapture.append(fault) }
        var score: MatchScore?
        switch face {
        case .picture(let image):
            let selfie = try await faces.selfie(image, for: share)
            if let fault = Self.fault(of: selfie, in: .face) { recapture.append(fault) }
            if let a = portrait?.descriptor, let b = selfie?.descriptor {
                score = try faces.score(a, b)
            }
            checks[.live] = .notChecked
        case .live(let template):
            if let descriptor = portrait?.descriptor {
                score = try faces.score(descriptor, template)
            }
            checks[.live] = .passed
        }
        checks[.faceMatch] =
            score.map { score in
                score >= thresholds.match
                    ? .passed : score < thresholds.review ? .failed : .inconclusive
            } ?? .inconclusive
        return recapture
    }

    private static func fault(of face: FaceService.ReadFace?, in picture: DocumentPicture)
        -> DocumentRecapture?
    {
        guard let face else {
            return DocumentRecapture(
                picture, picture == .face ? .imageMissing : .poorImageQuality,
                hints: [QualityReason.noFace.rawValue])
        }
        guard face.descriptor == nil else { return nil }
        return DocumentRecapture(
            picture, .poorImageQuality, hints: face.reasons.map(\.rawValue))
    }
}
