import Foundation
import MienCore
import MienFace
import MienModels
import MienTesting

/// One way to enroll: with or without liveness, from the front only or from each side.
struct EnrollmentPlan {
    var mode: FaceCaptureMode
    var views: EnrollmentSettings.Views
    var frames: Int

    var settings: EnrollmentSettings {
        get throws {
            try EnrollmentSettings(
                mode: mode, views: views, countdownToCapture: .zero, framesToEnroll: frames,
                timeout: .seconds(20))
        }
    }
    var name: String { "\(views) \(mode == .image ? "image" : "passive")" }
}

/// The end of one enrollment.
struct EnrollmentTrial {
    /// `enrolled`, the first reason of the refusal, or `source_ended`.
    var outcome: String
}

/// Plays people to enrollments.
struct EnrollmentTrials {
    let engine: FaceEngine
    static let framesPerSecond = 12.0

    /// - Parameters:
    ///   - actor: Gets the action that shows the view, too. Sees how many frames were taken.
    ///   - seconds: After which the actor stops.
    func play(
        _ plan: EnrollmentPlan, seconds: Double, framesPerSecond: Double = Self.framesPerSecond,
        _ image: (_ asked: LivenessAction?, _ time: Double, _ taken: Int) -> RGBImage?
    ) async throws -> EnrollmentTrial {
        var enrollment = try FaceEnrollment(
            capture: CaptureID("cap_1")!, settings: plan.settings,
            challenge: plan.mode == .image ? nil : .passive)
        var asked: LivenessAction?, taken = 0
        for index in 0..<Int(seconds * framesPerSecond) where enrollment.verdict == nil {
            let time = Double(index) / framesPerSecond
            guard let image = image(asked, time, taken) else { break }
            let reading = try await engine.reading(
                of: Frame(image: image, time: .seconds(time)), index: index)
            let event = enrollment.handle(reading)
            if enrollment.wantsExtraction {
                enrollment.extracted(try await engine.entry(of: reading))
                taken += 1
            }
            asked = event.action ?? Self.turn(event.view)
        }
        guard let verdict = enrollment.verdict else {
            return EnrollmentTrial(outcome: "source_ended")
        }
        return EnrollmentTrial(
            outcome: verdict.isCaptured ? "enrolled" : verdict.refusals[0].rawValue)
    }

    /// The movement by which a person shows a view.
    static func turn(_ view: EnrollmentView?) -> LivenessAction? {
        switch view {
        case nil, .front: nil
        case .right: .turnRight
        case .left: .turnLeft
        case .bottom: .lookDown
        case .top: .lookUp
        }
    }

    /// A photo whose face can be rendered.
    func usable(_ photo: RGBImage) async throws -> FaceMesh? {
        guard let face = try await engine.analyze(photo).main, face.quality.score >= 55,
            abs(face.pose.yaw) < 10, (face.quality[.singleFace]?.value ?? 1) < 0.4
        else { return nil }
        return face.mesh
    }
}

/// The likeness of rendered heads from the front and from each side.
struct LikenessSamples {
    /// The likeness of one person, by view.
    struct Person { var views: [EnrollmentView: [FaceDescriptor]] = [:] }

    var people: [Person] = []

    /// Turns a head to each view, back and forth, and keeps the frames that show one.
    static func person(_ head: SolidHead, _ engine: FaceEngine) async throws -> Person {
        var person = Person(), head = head
        var time = 0.0
        func see(_ asked: LivenessAction?, _ count: Int) async throws {
            for index in 0..<count {
                time += 1 / 8
                let image = head.image(asked: asked, at: time)
                guard
                    let face = try await engine.reading(
                        of: Frame(image: image, time: .seconds(time)), index: index
                    ).face, let likeness = face.likeness
                else { continue }
                for view in EnrollmentView.allCases where view.isShown(by: face.pose) {
                    person.views[view, default: []].append(likeness)
                }
            }
        }
        try await see(nil, 4)
        try await see(.blink, 8)
        for asked in [LivenessAction.turnRight, .turnLeft, .lookDown, .lookUp] {
            try await see(asked, 7)
            try await see(nil, 5)
        }
        return person
    }

    /// For each view, the cosines with the first frontal frame: of the same person, and of others.
    func cosines(_ view: EnrollmentView) -> (own: [Double], others: [Double]) {
        var own: [Double] = [], others: [Double] = []
        for (number, person) in people.enumerated() {
            guard let first = person.views[.front]?.first else { continue }
            for (other, seen) in people.enumerated() {
                for likeness in seen.views[view] ?? [] {
                    let cosine = Double(first.cosine(with: likeness))
                    if other == number { own.append(cosine) } else { others.append(cosine) }
                }
            }
        }
        return (own, others)
    }
}
