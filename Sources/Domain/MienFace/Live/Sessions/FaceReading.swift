public import MienPixels

/// What the pipeline found in one frame: all that a session knows of it.
public struct FaceReading: Sendable {
    /// Counted from 0.
    public let index: Int
    public let frame: Frame
    /// Equal for pictures that are the same byte for byte, and hardly ever else.
    public let contentHash: UInt64
    /// How many faces are in the picture.
    public let faceCount: Int
    /// The most prominent one.
    public let face: LiveFace?

    public init(index: Int, frame: Frame, contentHash: UInt64, faceCount: Int, face: LiveFace?) {
        (self.index, self.frame, self.contentHash, self.faceCount, self.face) = (
            index, frame, contentHash, faceCount, face
        )
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
    /// Of one aligned crop: tells one person's frames from another's in a stream. Not the
    /// descriptor that scores are calibrated for.
    public let likeness: FaceDescriptor?
    /// Small upright picture of the face, for checks of motion and texture.
    public let patch: FacePatch?
    /// Marks of prints and screens.
    public let texture: TextureCues?
    /// What the pack's network says, if it has one and it is used.
    public let presentationAttack: PresentationAttackScore?

    public init(
        box: Rectangle, mesh: FaceMesh, pose: HeadPose, eyes: EyeOpening, quality: FaceQuality,
        likeness: FaceDescriptor?, patch: FacePatch?,
        texture: TextureCues? = nil, presentationAttack: PresentationAttackScore? = nil
    ) {
        (self.box, self.mesh, self.pose, self.eyes, self.quality) = (box, mesh, pose, eyes, quality)
        (self.likeness, self.patch, self.texture, self.presentationAttack) = (
            likeness, patch, texture, presentationAttack
        )
    }
}
