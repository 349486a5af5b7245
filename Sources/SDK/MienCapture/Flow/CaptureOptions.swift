public import MienClient

/// How the screens look and what they say.
public struct CaptureOptions: Sendable {
    /// The language, as a tag such as `es`. By default, the first of the device's languages that
    /// there are texts in, else English.
    public var language: String?
    /// The app's own texts, by the names in `Web/Languages`.
    public var texts: [String: String]
    /// The country of the document that is chosen at first, ISO 3166-1 alpha-2.
    public var country: String?
    /// The camera; the device's by default.
    public var camera: (any CaptureCamera)?

    public init(
        language: String? = nil, texts: [String: String] = [:], country: String? = nil,
        camera: (any CaptureCamera)? = nil
    ) {
        (self.language, self.texts, self.country, self.camera) = (language, texts, country, camera)
    }
}

/// How a capture ended.
public enum CaptureOutcome: Sendable {
    /// Everything was captured. Answer the step with `.clientInput`.
    case completed
    /// The person canceled. Answer the step with `.cancel`.
    case canceled
    /// It did not pass. Answer the step with `.fail`.
    case failed(MienError)
}
