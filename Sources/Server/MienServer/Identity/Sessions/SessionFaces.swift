package import MienCore
package import MienIdentity

/// Compares faces of sessions with pictures that apps have of people. Another part of the server does
/// it, with its own workers.
package protocol SessionFaces: Sendable {
    /// The problems that keep a picture from being compared, worst first; empty for a good one.
    ///
    /// - Parameter picture: PNG, JPEG, or GIF.
    /// - Throws: `ServerBusy`.
    func faults(of picture: Sensitive<[UInt8]>, for share: WorkShare) async throws -> [String]

    /// Compares a picture with a face.
    ///
    /// - Throws: `ServerBusy`.
    func compare(
        _ picture: Sensitive<[UInt8]>, with face: DocumentFace, for share: WorkShare
    ) async throws -> IdentityCheckResult

    /// The model pack that describes faces.
    var pack: String { get }
}
