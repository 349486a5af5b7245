import MienCore
import MienTesting
import Testing

@testable import MienFace

/// Cameras that light every second or third frame with infrared.
@Suite("Dark frames between lit ones")
struct DarkFramesTests {
    /// A person who keeps still, then blinks when asked. `every` counts the frames from one lit
    /// frame to the next.
    private func refusals(
        every: Int, of brightness: Double, hasFace: Bool = false, mode: FaceCaptureMode
    ) throws -> [SessionRefusal]? {
        let settings = try EnrollmentSettings(
            mode: mode, countdownToCapture: .zero, framesToEnroll: 2, timeout: .seconds(12))
        var enrollment = try FaceEnrollment(
            capture: CaptureID("cap_test")!, settings: settings,
            challenge: mode == .image ? nil : .passive)
        var asked: LivenessAction?, since = 0
        for index in 0..<400 where enrollment.verdict == nil {
            let time = Duration.milliseconds(33 * index), isDark = index % every != 0
            let closed = asked == .blink && (10..<16).contains(index - since)
            let look = MadeLook(eyes: closed ? 0.2 : 1, quality: isDark ? 20 : 80)
            // The pictures of a dark room are the same.
            let reading = FaceReading.made(
                isDark && !hasFace ? nil : look, index: index, at: time,
                hash: isDark && !hasFace ? 7 : nil, brightness: isDark ? brightness : 90)
            let event = enrollment.handle(reading)
            if isDark {
                #expect(!enrollment.wantsExtraction && event.guidance != .faceNotFound)
            }
            if enrollment.wantsExtraction {
                enrollment.extracted(
                    try FaceTemplate.Entry(
                        descriptor: FaceDescriptor([1, 0]), quality: 80, pose: .frontal))
            }
            if event.action != asked { (asked, since) = (event.action, index) }
        }
        return enrollment.verdict?.isCaptured == true ? [] : enrollment.verdict?.refusals
    }

    @Test(
        "they are skipped, black or dim, with a face or without",
        arguments: [
            (every: 2, brightness: 0.5, hasFace: false), (every: 2, brightness: 40, hasFace: true),
            (every: 3, brightness: 2, hasFace: false), (every: 4, brightness: 20, hasFace: true),
        ],
        [FaceCaptureMode.livenessPassive, .image])
    func skipped(camera: (every: Int, brightness: Double, hasFace: Bool), mode: FaceCaptureMode)
        throws
    {
        #expect(
            try refusals(
                every: camera.every, of: camera.brightness, hasFace: camera.hasFace, mode: mode)
                == [])
    }

    @Test("a room that stays dark is none of them")
    func dark() throws {
        var frames = DarkFrames()
        func contains(_ milliseconds: Int, _ brightness: Double) -> Bool {
            frames.contains(
                .made(nil, index: 0, at: .milliseconds(milliseconds), brightness: brightness))
        }
        #expect(!contains(0, 3), "nothing was lit yet")
        #expect(!contains(33, 90))
        #expect((2...10).allSatisfy { contains(33 * $0, 3) })
        #expect(!contains(400, 3) && !contains(433, 3))
        #expect(!contains(466, 60) && !contains(500, 60) && !contains(533, 40))
    }
}
