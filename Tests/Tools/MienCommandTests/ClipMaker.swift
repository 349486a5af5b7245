import Foundation
import MienCore
import MienFace
import MienMedia
import MienModels
import MienTesting
import Testing

/// Makes videos of a demo photo's face, rendered with depth, that moves as a session requests.
struct ClipMaker {
    let home: TemporaryHome
    let engine: FaceEngine
    let photo: RGBImage
    let mesh: FaceMesh

    init(_ home: TemporaryHome, _ name: String = "obama") async throws {
        self.home = home
        let whole = try ImageFile.decode(home.photo(name))
        engine = try TestEngines.engine(home.pack)
        // The face and its surroundings, so that frames are small.
        let box = try #require(try await engine.analyze(whole).main).detection.box,
            side = min(whole.width, whole.height, Int(2.6 * box.width))
        let left = min(max(0, Int(box.center.x) - side / 2), whole.width - side),
            top = min(max(0, Int(box.center.y) - side / 2), whole.height - side)
        photo = whole.reduced(by: 1, x: left, y: top, width: side, height: side).resized(
            width: 240, height: 240)
        mesh = try #require(try await engine.analyze(photo).main).mesh
    }

    /// A person who follows an enrollment: keeps still, blinks, and turns to each requested side.
    ///
    /// - Returns: the path, and the pose at which each view was taken.
    func enrollment(_ settings: EnrollmentSettings, as name: String) async throws -> (
        path: String, poses: [EnrollmentView: HeadPose]
    ) {
        let (frames, poses) = try await self.frames(enrolling: settings)
        return (
            try write(frames + Array(repeating: frames[frames.count - 1], count: 3), name), poses
        )
    }

    /// The frames of that person, ten per second, and the pose at which each view was taken.
    ///
    /// - Parameter further: The number of frames after the last one that the enrollment needs.
    func frames(enrolling settings: EnrollmentSettings, further: Int = 0) async throws -> (
        frames: [RGBImage], poses: [EnrollmentView: HeadPose]
    ) {
        var person = SolidHead(photo, mesh: mesh, reach: 40)
        var enrollment = try FaceEnrollment(
            capture: try #require(CaptureID("cap_1")), settings: settings)
        var asked: LivenessAction?, frames: [RGBImage] = [], poses: [EnrollmentView: HeadPose] = [:]
        for index in 0..<400 where enrollment.verdict == nil {
            let time = Double(index) / 10, image = person.image(asked: asked, at: time)
            frames.append(image)
            let reading = try await engine.reading(
                of: Frame(image: image, time: .seconds(time)), index: index)
            let event = enrollment.handle(reading)
            if enrollment.wantsExtraction {
                if let view = event.view { poses[view] = event.pose }
                enrollment.extracted(try await engine.entry(of: reading))
            }
            asked = event.action ?? Self.turn(event.view)
        }
        #expect(enrollment.verdict?.isCaptured == true, "\(enrollment.verdict?.refusals ?? [])")
        for _ in 0..<further {
            frames.append(person.image(asked: nil, at: Double(frames.count) / 10))
        }
        return (frames, poses)
    }

    /// The movement by which the person shows a view.
    static func turn(_ view: EnrollmentView?) -> LivenessAction? {
        switch view {
        case nil, .front: nil
        case .right: .turnRight
        case .left: .turnLeft
        case .bottom: .lookDown
        case .top: .lookUp
        }
    }

    /// A person who keeps still and never blinks, for seven seconds: longer than a session waits.
    func unblinking(as name: String) throws -> String {
        var person = SolidHead(photo, mesh: mesh)
        return try write(
            (0..<70).map { person.image(asked: nil, at: Double($0) / 10) }, name)
    }

    /// The photo, held still.
    func still(as name: String) throws -> String {
        try write(Array(repeating: photo, count: 30), name)
    }

    func write(_ frames: [RGBImage], _ name: String, framesPerSecond: Int32 = 10) throws -> String {
        var maker = MovieMaker(.mkv)
        maker.framesPerSecond = framesPerSecond
        let file = home.files.appending(path: name)
        try maker.write(frames, to: file)
        return file.path
    }
}
