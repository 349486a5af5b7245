/// The rotation of a head in degrees, as seen in the image (not from the subject's side).
///
/// All three angles are zero for an upright face that looks straight into the camera. Yaw and pitch of
/// a head that is tilted by more than 65° are those after the quarter turns that make it upright.
public struct HeadPose: Sendable, Hashable, Codable {
    /// Turn around the neck. Positive: nose toward the image's right edge.
    public var yaw: Float
    /// Nod. Positive: nose toward the image's top edge.
    public var pitch: Float
    /// Tilt in the image plane. Positive: clockwise on screen.
    public var roll: Float

    public init(yaw: Float, pitch: Float, roll: Float) {
        (self.yaw, self.pitch, self.roll) = (yaw, pitch, roll)
    }

    /// A head that is tilted further, in degrees, is taken for one in a turned picture.
    static let uprightRoll: Float = 65

    public static let frontal = HeadPose(yaw: 0, pitch: 0, roll: 0)

    /// Whether every angle is a number in −180…180.
    public var isValid: Bool { [yaw, pitch, roll].allSatisfy { (-180...180).contains($0) } }
}
