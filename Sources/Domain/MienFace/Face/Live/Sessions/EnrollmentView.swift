/// A view of the head that an enrollment captures, named after the direction in which the person
/// turns. Right and left are the person's own: for the view `right`, they turn to their right, and
/// the camera sees the left side of the head.
public enum EnrollmentView: String, Sendable, CaseIterable, Codable {
    case front, right, left, bottom, top

    /// The first view that a head in this pose shows; `nil` if it shows none.
    init?(shownBy pose: HeadPose) {
        guard let view = Self.allCases.first(where: { $0.isShown(by: pose) }) else { return nil }
        self = view
    }

    /// Returns whether a head in this pose shows the view. Angles are in degrees, as in
    /// ``HeadPose``.
    ///
    /// The front allows 12° of yaw and 15° of pitch. The right and left views need 15° to 40° of
    /// yaw, the top and bottom 10° to 35° of pitch: far enough to add information to a template,
    /// but not so far that half the face is hidden. No error rates were measured for these numbers.
    public func isShown(by pose: HeadPose) -> Bool {
        switch self {
        case .front: abs(pose.yaw) <= 12 && abs(pose.pitch) <= 15
        // The person's right is on the picture's left, so a turn to the right moves the nose toward
        // the picture's left edge, which is a negative yaw.
        case .right: (-40 ... -15).contains(pose.yaw) && abs(pose.pitch) <= 20
        case .left: (15...40).contains(pose.yaw) && abs(pose.pitch) <= 20
        case .bottom: (-35 ... -10).contains(pose.pitch) && abs(pose.yaw) <= 15
        case .top: (10...35).contains(pose.pitch) && abs(pose.yaw) <= 15
        }
    }

    /// The guidance that requests this view.
    public var guidance: Guidance {
        switch self {
        case .front: .lookStraight
        case .right: .turnRight
        case .left: .turnLeft
        case .bottom: .lookDown
        case .top: .lookUp
        }
    }
}
