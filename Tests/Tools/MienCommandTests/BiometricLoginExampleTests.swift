import Foundation
import MienFace
import MienTesting
import Testing

/// The built program. The traits of a suite cannot use the suite's members.
private enum Example {
    static let program = URL(
        filePath: ProcessInfo.processInfo.environment["MIEN_EXAMPLES"]
            ?? Repository.file(".build/examples/release").path
    ).appending(path: "BiometricLogin")
    static let isBuilt = FileManager.default.isExecutableFile(atPath: program.path)
}

/// The program of Examples whose face `scripts/test-examples` cannot show. That script builds it.
@Suite(.needsFaces, .enabled(if: Example.isBuilt, "needs scripts/test-examples"))
struct BiometricLoginExampleTests {
    @Test(arguments: TemporaryHome.packs)
    func `a face that keeps still and blinks signs in, and so does the PIN`(pack: String)
        async throws
    {
        let home = try TemporaryHome(pack: pack)
        let (clip, _) = try await ClipMaker(home).enrollment(
            EnrollmentSettings(
                mode: .livenessPassive, countdownToCapture: .zero, framesToEnroll: 2),
            as: "blink.mkv")
        let run = try await ProgramRun.run(
            Example.program, ["--video", clip],
            environment: home.environment(temporary: home.files, [:]))
        #expect(run.status == 0, "\(run.err)")
        #expect(
            run.out == """
                enrolled the owner's face
                enabled biometric login
                face: signed in, amr pop x_biometric
                PIN: signed in, amr pin pop
                biometric login is off

                """)
    }
}
