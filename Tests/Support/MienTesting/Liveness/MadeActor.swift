import Foundation
import MienFace

/// A subject in front of the camera, genuine or an attack, as the pipeline would read it. The
/// counterpart of ``LivenessActor`` without pictures and networks.
public protocol MadeActor: Sendable {
    /// - Parameter asked: The session's current request; `nil` without one.
    mutating func reading(asked: LivenessAction?, index: Int, at time: Duration) -> FaceReading
}

/// A head with depth that performs the requested actions.
public struct MadePerson: MadeActor {
    private let person: Int
    private var movement = Movement(reach: 42)

    /// - Parameter person: The person whose face it is, 0...7.
    public init(_ person: Int = 0) { self.person = person }

    public mutating func reading(asked: LivenessAction?, index: Int, at time: Duration)
        -> FaceReading
    {
        movement.move(asked: asked, at: time / .seconds(1))
        return .made(movement.look(of: person), index: index, at: time)
    }
}

/// A sheet with the face of a synthetic head, held up by an attacker like ``FlatPhoto``.
public struct MadeSheet: MadeActor {
    private let skill: FlatPhoto.Skill
    private var movement: Movement

    public init(_ skill: FlatPhoto.Skill) { (self.skill, movement) = (skill, Movement(reach: 60)) }

    public mutating func reading(asked: LivenessAction?, index: Int, at time: Duration)
        -> FaceReading
    {
        let seconds = time / .seconds(1)
        movement.move(asked: asked, at: seconds)
        let m = movement
        var look = MadeLook()
        var sheet = Plane(
            center: Point(x: look.x, y: look.y), yaw: 0, pitch: 0, distance: 640, radius: .infinity)
        func turned(_ radius: Double) -> Plane {
            Plane(center: sheet.center, yaw: m.yaw, pitch: m.pitch, distance: 640, radius: radius)
        }
        switch skill {
        case .still, .held: break
        case .zoomed: look.zoom = 1.25 - 0.25 * cos(2 * seconds)
        case .tilted, .cutOutEyes: (sheet, look.zoom) = (turned(.infinity), m.zoom)
        case .bent, .cutOutAndBent: (sheet, look.zoom) = (turned(120), m.zoom)
        }
        if [.cutOutEyes, .cutOutAndBent].contains(skill) { look.eyes = 1 - 0.8 * m.lids }
        if skill == .cutOutAndBent { look.mouth += 0.6 * m.mouth }
        let frame = FaceReading.made(nil, index: index, at: time)
        return FaceReading(
            index: index, frame: frame.frame, contentHash: skill == .still ? 1 : UInt64(index),
            faceCount: 1,
            face: .made(look, index: skill == .still ? 0 : index, on: sheet))
    }
}

/// Readings recorded once and replayed regardless of the requests. The last one is repeated at the
/// end.
public struct MadeRecording: MadeActor {
    private let readings: [FaceReading]

    /// - Parameter readings: At least one.
    public init(_ readings: [FaceReading]) {
        precondition(!readings.isEmpty, "a recording must have frames")
        self.readings = readings
    }

    public mutating func reading(asked _: LivenessAction?, index: Int, at time: Duration)
        -> FaceReading
    {
        let old = readings[min(index, readings.count - 1)]
        return FaceReading(
            index: index, frame: Frame(image: old.frame.image, time: time),
            contentHash: UInt64(index), faceCount: old.faceCount, face: old.face)
    }
}

/// One actor, then another who replaces the first as soon as `changes` returns `true`. The
/// counterpart of ``Splice`` without networks.
public struct MadeSplice: MadeActor {
    private var first, second: any MadeActor
    private var hasChanged = false
    private let changes: @Sendable (_ asked: LivenessAction?, _ time: Duration) -> Bool

    public init(
        _ first: any MadeActor, _ second: any MadeActor,
        changes: @escaping @Sendable (LivenessAction?, Duration) -> Bool
    ) {
        (self.first, self.second, self.changes) = (first, second, changes)
    }

    public mutating func reading(asked: LivenessAction?, index: Int, at time: Duration)
        -> FaceReading
    {
        if changes(asked, time) { hasChanged = true }
        let a = first.reading(asked: asked, index: index, at: time),
            b = second.reading(asked: asked, index: index, at: time)
        return hasChanged ? b : a
    }
}

/// Performs other actions than the requested ones.
public struct MadeDisobedient: MadeActor {
    private var actor: any MadeActor
    private let instead: @Sendable (LivenessAction) -> LivenessAction

    public init(
        _ actor: any MadeActor, instead: @escaping @Sendable (LivenessAction) -> LivenessAction
    ) {
        (self.actor, self.instead) = (actor, instead)
    }

    public mutating func reading(asked: LivenessAction?, index: Int, at time: Duration)
        -> FaceReading
    {
        actor.reading(
            asked: asked.map { $0 == .keepStill ? .keepStill : instead($0) }, index: index, at: time
        )
    }
}

extension Movement {
    fileprivate func look(of person: Int) -> MadeLook {
        MadeLook(
            person: person, yaw: Float(yaw), pitch: Float(pitch), eyes: 1 - 0.8 * lids,
            mouth: 0.05 + 0.6 * mouth, zoom: zoom)
    }
}

extension MadeSheet {
    /// Returns the largest error, in pixels, of mapping points of a sheet in this position there
    /// and back.
    package static func roundTripError(yaw: Double, pitch: Double, radius: Double) -> Double {
        let plane = Plane(
            center: Point(x: 320, y: 240), yaw: yaw, pitch: pitch, distance: 640, radius: radius)
        let points = (-2...2).flatMap { x in
            (-2...2).map { y in Point(x: 320 + 30 * Double(x), y: 240 + 40 * Double(y)) }
        }
        return points.map { $0.distance(to: plane.source(of: plane.seen($0))) }.max() ?? 0
    }
}
