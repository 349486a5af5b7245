import MienFace

/// The appearance of a synthetic person in one frame. It is sufficient for sessions, without a
/// picture or a network.
public struct MadeLook: Sendable, Hashable {
    /// The person whose face it is.
    public var person: Int
    public var yaw, pitch: Float
    /// Fraction of the open eyes' opening; 1 is open.
    public var eyes: Double
    /// Opening of the mouth, relative to the eye distance.
    public var mouth: Double
    public var zoom: Double
    /// The position of the face's middle, in pixels of a 640×480 picture.
    public var x, y: Double
    /// Whether it is a flat picture, which turns without depth.
    public var isFlat: Bool
    public var quality: Int

    public init(
        person: Int = 0, yaw: Float = 0, pitch: Float = 0, eyes: Double = 1, mouth: Double = 0.05,
        zoom: Double = 1, x: Double = 320, y: Double = 240,
        isFlat: Bool = false, quality: Int = 80
    ) {
        (self.person, self.yaw, self.pitch, self.eyes, self.mouth) = (
            person, yaw, pitch, eyes, mouth
        )
        (self.zoom, self.x, self.y, self.isFlat, self.quality) = (zoom, x, y, isFlat, quality)
    }
}

extension FaceReading {
    /// Returns a reading of a frame that shows `look`, or nobody.
    ///
    /// - Parameters:
    ///   - hash: The picture's hash. Defaults to the index, so that no two frames are identical.
    ///   - brightness: The mean brightness of the picture.
    public static func made(
        _ look: MadeLook?, index: Int, at time: Duration, hash: UInt64? = nil,
        brightness: Double = 128
    ) -> FaceReading {
        let frame = Frame(image: RGBImage(width: 1, height: 1, filledWith: .black), time: time)
        return FaceReading(
            index: index, frame: frame, contentHash: hash ?? UInt64(index),
            brightness: brightness, faceCount: look == nil ? 0 : 1,
            face: look.map { LiveFace.made($0, index: index) })
    }
}

extension LiveFace {
    /// - Parameter sheet: A sheet that carries the frontal points. If it is set, `look` does not
    ///   turn them.
    static func made(_ look: MadeLook, index: Int, on sheet: Plane? = nil) -> LiveFace {
        let center = Point(x: look.x, y: look.y), half = 80 * look.zoom
        // Nobody keeps perfectly still.
        let sway = Float(index % 7) * 0.5
        let pose = HeadPose(yaw: look.yaw + sway, pitch: look.pitch, roll: 0)
        var mesh = SyntheticHead().mesh(
            center: center, halfWidth: half, pose: look.isFlat || sheet != nil ? .frontal : pose)
        if let sheet {
            mesh = FaceMesh(
                points: mesh.points.map(sheet.seen), depths: mesh.depths, evidence: mesh.evidence)
        } else if look.isFlat {
            // A tilted picture shows the frontal points compressed.
            let k = Double(90 - abs(look.yaw)) / 90
            mesh = FaceMesh(
                points: mesh.points.map { Point(x: center.x + ($0.x - center.x) * k, y: $0.y) },
                depths: mesh.depths, evidence: mesh.evidence)
        }
        var points = mesh.points
        points[FaceMesh.Landmark.lipBottom] =
            points[FaceMesh.Landmark.lipTop] + Point(x: 0, y: look.mouth * mesh.eyeDistance)
        mesh = FaceMesh(points: points, depths: mesh.depths, evidence: mesh.evidence)
        var direction = [Float](repeating: 0, count: 8)
        direction[look.person] = 1
        let opening = 0.23 * look.eyes
        return LiveFace(
            box: Rectangle(center: center, width: 2 * half, height: 2 * half), mesh: mesh,
            pose: pose,
            eyes: EyeOpening(right: opening, left: opening),
            quality: FaceQuality(parts: [
                .init(.sharpness, value: 1, grade: Double(look.quality), reason: .blurred)
            ]),
            likeness: try! FaceDescriptor(direction), patch: nil)
    }
}
