internal import MienCore
internal import MienFace

/// A face that is compared with many.
struct FaceComparison: Sendable {
    let matcher: FaceMatcher
    let reference: Reference

    /// - Parameter template: Made by the same model pack.
    func score(_ template: FaceTemplate) throws -> MatchScore {
        matcher.score(reference, try matcher.reference(for: template))
    }
}
