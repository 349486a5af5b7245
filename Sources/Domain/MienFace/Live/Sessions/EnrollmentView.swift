/// A side of the head that an enrolment wants. Right and left are the person's own.
public enum EnrollmentView: String, Sendable, CaseIterable, Codable {
    case front, right, left, bottom, top

    /// Does a head in this pose show the side? Angles in degrees, as ``HeadPose`` has them.
    ///
    /// From the front within 12° and 15°; the sides from 15° to 40° of yaw, above and below from
    /// 10° to 35° of pitch: far enough to add something to a template, not so far that half the
    /// face is gone. No error rates belong to these numbers.
    public func isShown(by pose: HeadPose) -> Bool {
        switch self {
        case .front: abs(pose.yaw) <= 12 && abs(pose.pitch) <= 15
        // The person's own left is on the picture's right, so a turn to the left has a positive
        // yaw; it shows the right side of the head.
        case .right: (-40 ... -15).contains(pose.yaw) && abs(pose.pitch) <= 20
        case .left: (15...40).contains(pose.yaw) && abs(pose.pitch) <= 20
        case .bottom: (-35 ... -10).contains(pose.pitch) && abs(pose.yaw) <= 15
        case .top: (10...35).contains(pose.pitch) && abs(pose.yaw) <= 15
        }
    }

    /// What to tell somebody who is to show it.
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
