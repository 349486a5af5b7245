/// How a head is turned, in degrees, as seen in the image (not from the subject's side).
///
/// Zero in all three is a face that looks straight into the camera, upright.
public struct HeadPose: Sendable, Hashable, Codable {
    /// Turn about the neck. Positive: nose towards the image's right edge.
    public var yaw: Float
    /// Nod. Positive: nose towards the image's top edge.
    public var pitch: Float
    /// Tilt in the image plane. Positive: clockwise on screen.
    public var roll: Float

    public init(yaw: Float, pitch: Float, roll: Float) {
        (self.yaw, self.pitch, self.roll) = (yaw, pitch, roll)
    }

    public static let frontal = HeadPose(yaw: 0, pitch: 0, roll: 0)

    /// Every angle a number in −180…180.
    public var isValid: Bool { [yaw, pitch, roll].allSatisfy { (-180...180).contains($0) } }
}
