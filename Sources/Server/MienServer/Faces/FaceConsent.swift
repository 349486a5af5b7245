/// The consent to store a face.
enum FaceConsent {
    /// The purpose that the consent is recorded for.
    static let purpose = "face"
}
