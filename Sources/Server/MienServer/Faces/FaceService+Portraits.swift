package import MienCore
package import MienFace
internal import MienMedia
internal import MienModels

/// Portraits on documents, and the faces that they are compared with. Pictures are kept only for one
/// call.
extension FaceService {
    /// A face, and why it cannot be compared.
    package struct ReadFace: Sendable {
        /// The index of the view that shows it.
        package let view: Int
        /// Worst first.
        package let reasons: [QualityReason]
        /// `nil` if there are reasons.
        package let descriptor: FaceDescriptor?
    }

    /// Finds and describes the portrait on a document.
    ///
    /// - Parameter views: See `PortraitFinder`.
    /// - Returns: `nil` if no view shows a face.
    /// - Throws: ``ServerBusy``.
    package func portrait(in views: [RGBImage], for share: WorkShare) async throws -> ReadFace? {
        try await engine.serve(share) { analyzer, networks in
            do throws(FaceModelError) {
                guard
                    let found = try PortraitFinder(analyzer).portrait(in: views, with: networks)
                else { return nil }
                guard found.reasons.isEmpty else {
                    return ReadFace(view: found.view, reasons: found.reasons, descriptor: nil)
                }
                let description = try analyzer.describe(
                    found.face, in: views[found.view], with: networks)
                return ReadFace(
                    view: found.view, reasons: [], descriptor: description.descriptor)
            } catch { return nil }
        }
    }

    /// Describes the face of a picture as it was sent: PNG, JPEG, or GIF.
    ///
    /// - Returns: `nil` if it shows none, or cannot be decoded.
    /// - Throws: ``ServerBusy``.
    package func face(in picture: Sensitive<[UInt8]>, for share: WorkShare) async throws
        -> ReadFace?
    {
        let image = try await engine.serve(share) { _, _ in
            picture.use { try? ImageDecoder.decode($0) }
        }
        guard let image else { return nil }
        return try await selfie(image, for: share)
    }

    /// Describes the face of a still picture.
    ///
    /// - Returns: `nil` if it shows none.
    /// - Throws: ``ServerBusy``.
    package func selfie(_ image: RGBImage, for share: WorkShare) async throws -> ReadFace? {
        try await engine.serve(share) { analyzer, networks in
            do throws(FaceModelError) {
                let analysis = try analyzer.analyze(image, with: networks)
                guard let face = analysis.main else { return nil }
                let reasons = analysis.reasons()
                guard reasons.isEmpty else {
                    return ReadFace(view: 0, reasons: reasons, descriptor: nil)
                }
                let description = try analyzer.describe(face, in: image, with: networks)
                return ReadFace(view: 0, reasons: [], descriptor: description.descriptor)
            } catch { return nil }
        }
    }

    package func score(_ portrait: FaceDescriptor, _ selfie: FaceDescriptor) throws -> MatchScore {
        matcher.score(
            try matcher.reference(for: portrait), try matcher.reference(for: selfie))
    }

    /// - Returns: `nil` if another pack made the template.
    package func score(_ portrait: FaceDescriptor, _ template: FaceTemplate) throws -> MatchScore? {
        guard template.packID == packID else { return nil }
        return matcher.score(
            try matcher.reference(for: portrait), try matcher.reference(for: template))
    }
}
