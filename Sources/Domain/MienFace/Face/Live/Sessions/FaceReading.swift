/// The pipeline's findings for one frame, and all that a session knows about it.
public struct FaceReading: Sendable {
    /// Counted from 0.
    public let index: Int
    public let frame: Frame
    /// Equal for byte-identical pictures, and almost never for others.
    public let contentHash: UInt64
    /// The mean brightness of the picture, 0...255.
    public let brightness: Double
    /// The number of faces in the picture.
    public let faceCount: Int
    /// The most prominent face.
    public let face: LiveFace?

    public init(
        index: Int, frame: Frame, contentHash: UInt64, brightness: Double = 128, faceCount: Int,
        face: LiveFace?
    ) {
        (self.index, self.frame, self.contentHash, self.faceCount, self.face) = (
            index, frame, contentHash, faceCount, face
        )
        self.brightness = brightness
    }

    public var time: Duration { frame.time }
}

/// One face in one frame of a stream.
public struct LiveFace: Sendable {
    public let box: Rectangle
    public let mesh: FaceMesh
    public let pose: HeadPose
    public let eyes: EyeOpening
    public let quality: FaceQuality
    /// The descriptor of one aligned crop. It distinguishes people within a stream. Scores are not
    /// calibrated for it.
    public let likeness: FaceDescriptor?
    /// The pack's limits for it.
    public let likenessLimits: LikenessLimits
    /// A small upright picture of the face for the motion and texture checks.
    public let patch: FacePatch?
    /// Marks of prints and screens.
    public let texture: TextureCues?
    /// The score of the pack's presentation-attack network, if it has one and it is enabled.
    public let presentationAttack: PresentationAttackScore?
    /// The light of its parts, if it is measured.
    public let light: LightSample?

    public init(
        box: Rectangle, mesh: FaceMesh, pose: HeadPose, eyes: EyeOpening, quality: FaceQuality,
        likeness: FaceDescriptor?, likenessLimits: LikenessLimits = .standard, patch: FacePatch?,
        texture: TextureCues? = nil, presentationAttack: PresentationAttackScore? = nil,
        light: LightSample? = nil
    ) {
        (self.box, self.mesh, self.pose, self.eyes, self.quality) = (box, mesh, pose, eyes, quality)
        (self.likeness, self.patch, self.texture, self.presentationAttack) = (
            likeness, patch, texture, presentationAttack
        )
        (self.likenessLimits, self.light) = (likenessLimits, light)
    }
}
