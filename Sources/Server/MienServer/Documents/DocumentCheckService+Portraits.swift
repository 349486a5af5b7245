package import MienCore
internal import MienDocument
internal import MienFace
internal import MienIdentity
internal import MienModels

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
    /// - Parameters:
    ///   - front: The portrait's side, whose faults may be why there is no portrait.
    ///   - picture: The picture that shows it.
    /// - Returns: The pictures that have to be taken again, and the score.
    func compare(
        _ portrait: FaceService.ReadFace?, with face: DocumentSubmission.Face?,
        of front: DocumentReading, as picture: DocumentPicture, for share: WorkShare,
        into checks: inout IdentityChecks
    ) async throws -> ([DocumentRecapture], MatchScore?) {
        guard let face else { return ([], nil) }
        var recapture: [DocumentRecapture] = []
        if let fault = Self.fault(of: portrait, in: picture) {
            let faults = front.capture.faults.map(\.rawValue)
            recapture.append(
                DocumentRecapture(
                    picture, front.capture.reason ?? fault.reason, hints: faults + fault.hints))
        }
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
        return (recapture, score)
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
