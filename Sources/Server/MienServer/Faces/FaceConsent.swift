/// The consent to store a face.
package enum FaceConsent {
    /// The purpose that the consent is recorded for.
    package static let purpose = "face"
    /// The purpose of the consent to look for duplicates, recorded apart because it is asked only in
    /// some apps. It ends with the consent to store the face.
    package static let searchPurpose = "face-search"
}
