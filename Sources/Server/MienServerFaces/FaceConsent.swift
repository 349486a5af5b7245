/// The consent to store a face.
package enum FaceConsent {
    /// The purpose that the consent is recorded for.
    package static let purpose = "face"
}
