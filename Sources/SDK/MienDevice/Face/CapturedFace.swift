public import MienCore
public import MienFace

/// A person's face as a capture session took it.
///
/// Only sessions create captures, so the value cannot claim a mode that no session ran. A face of
/// the mode `image` may show a photo: it is good for recognition, and opens no key and no token.
public struct CapturedFace: Sendable {
    public let template: FaceTemplate
    /// The mode of the session that took it.
    public let mode: FaceCaptureMode
    /// The same capture, described for other model packs.
    package let former: [FaceTemplate]

    /// Whether the session checked that a live person was present.
    public var isLive: Bool { mode != .image }

    /// - Parameter captures: The frames that one session took, 1...8.
    /// - Throws: `FaceTemplateError` if the frames do not form a template.
    public init(_ captures: [LiveCapture], packID: PackID, createdAt: Instant)
        throws(FaceTemplateError)
    {
        try self.init(captures, packID: packID, createdAt: createdAt, former: [])
    }

    package init(
        _ captures: [LiveCapture], packID: PackID, createdAt: Instant, former: [FaceTemplate]
    ) throws(FaceTemplateError) {
        template = try FaceTemplate(
            entries: captures.map(\.entry), packID: packID, createdAt: createdAt)
        mode =
            captures.contains { $0.mode == .image }
            ? .image : captures.first?.mode ?? .image
        self.former = former
    }

    package init(_ template: FaceTemplate, mode: FaceCaptureMode, former: [FaceTemplate] = []) {
        (self.template, self.mode, self.former) = (template, mode, former)
    }
}
