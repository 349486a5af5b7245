extension SealPurpose {
    /// A person's name and face template.
    public static let faceTemplate = SealPurpose(label: "mien/v1/face-template")

    /// A descriptor cached by an evaluation.
    public static let evaluationDescriptor = SealPurpose(label: "mien/v1/evaluation-descriptor")
}
