import MienFace
import MienTesting
import Testing

/// The program of Examples whose face `scripts/test-examples` cannot show.
@Suite(.needsFaces) struct BiometricLoginExampleTests {
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
            ProgramRun.builtProgram("ExampleBiometricLogin"), ["--video", clip],
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
