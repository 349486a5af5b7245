package import MienCore
package import MienFace

/// Finds portraits and compares faces. Another part of the server does it, with its own workers.
package protocol PortraitComparer: Sendable {
    /// The model pack that describes faces.
    var pack: PackID { get }

    /// Finds the portrait on a document and describes it.
    ///
    /// - Parameter views: See `PortraitFinder`.
    /// - Returns: `nil` if no view shows a face.
    /// - Throws: `ServerBusy`.
    func portrait(in views: [RGBImage], for share: WorkShare) async throws -> DescribedFace?

    /// Describes the face of a still picture.
    ///
    /// - Returns: `nil` if it shows none.
    /// - Throws: `ServerBusy`.
    func selfie(_ image: RGBImage, for share: WorkShare) async throws -> DescribedFace?

    /// Compares a portrait with the face of a still picture.
    func score(_ portrait: FaceDescriptor, _ selfie: FaceDescriptor) throws -> MatchScore

    /// Compares a portrait with the template of a live capture.
    ///
    /// - Returns: `nil` if another pack made the template.
    func score(_ portrait: FaceDescriptor, _ template: FaceTemplate) throws -> MatchScore?
}

/// A face that was found, and why it cannot be compared.
package struct DescribedFace: Sendable {
    /// The index of the view that shows it.
    package var view = 0
    /// The problems of the picture, worst first.
    package let reasons: [QualityReason]
    /// `nil` if there are problems.
    package let descriptor: FaceDescriptor?
}
