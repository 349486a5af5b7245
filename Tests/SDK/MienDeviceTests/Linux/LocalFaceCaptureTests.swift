import MienCore
import MienDevice
import MienDeviceLinux
import MienFace
import MienKeys
import MienTesting
import Synchronization
import Testing

private let biometrics = BiometricPolicy.deviceOwnerAuthenticationWithBiometrics,
    ownerPolicy = BiometricPolicy.deviceOwnerAuthentication

/// A room with a person or an object that reacts to the screen, and the camera, the pipeline, and
/// the screen.
private final class Room: LiveFaceReader, FaceCaptureGuide {
    private struct State {
        var actor: (any MadeActor)?
        var person = 1
        var asked: LivenessAction?
        var allAsked: [LivenessAction] = []
        var answer: @Sendable (FrameEvent) -> FaceCaptureAnswer = { _ in .goOn }
        var begun: [FaceCapturePurpose] = [], ended: [FaceCaptureEnd] = []
        var opened = 0, failure: FrameSourceError?
    }
    private let state = Mutex(State())

    /// - Parameters:
    ///   - actor: The actor that moves; `nil` for an empty room.
    ///   - person: The person whose face the pipeline describes.
    func hold(_ actor: (any MadeActor)?, as person: Int = 1) {
        state.withLock { ($0.actor, $0.person) = (actor, person) }
    }
    func press(_ answer: @escaping @Sendable (FrameEvent) -> FaceCaptureAnswer) {
        state.withLock { $0.answer = answer }
    }
    func breakCamera(_ error: FrameSourceError?) { state.withLock { $0.failure = error } }
    var begun: [FaceCapturePurpose] { state.withLock { $0.begun } }
    var ended: [FaceCaptureEnd] { state.withLock { $0.ended } }
    var opened: Int { state.withLock { $0.opened } }
    /// The actions that were requested in the last capture, in order.
    var allAsked: [LivenessAction] { state.withLock { $0.allAsked } }

    var frames: FaceFrames {
        FaceFrames { [self] in
            if let failure = state.withLock({ $0.failure }) { throw failure }
            state.withLock { $0.opened += 1 }
            return FrameArray(
                (0..<2000).map {
                    Frame(
                        image: RGBImage(width: 1, height: 1, filledWith: .black),
                        time: .milliseconds(40 * $0))
                })
        }
    }

    func reading(of frame: Frame, index: Int) async throws -> FaceReading {
        state.withLock { state in
            guard var actor = state.actor else { return .made(nil, index: index, at: frame.time) }
            let reading = actor.reading(asked: state.asked, index: index, at: frame.time)
            state.actor = actor
            return reading
        }
    }

    func entry(of reading: FaceReading) async throws -> FaceTemplate.Entry {
        try face(state.withLock { $0.person }).entries[0]
    }

    func begin(_ purpose: FaceCapturePurpose) async {
        state.withLock { state in
            state.begun.append(purpose)
            (state.asked, state.allAsked) = (nil, [])
        }
    }

    func show(_ event: FrameEvent) async -> FaceCaptureAnswer {
        state.withLock { state in
            state.asked = event.action
            if let action = event.action, action != state.allAsked.last {
                state.allAsked.append(action)
            }
        }
        return state.withLock { $0.answer }(event)
    }

    func end(_ end: FaceCaptureEnd) async { state.withLock { $0.ended.append(end) } }

    func capture(drawing: [LivenessAction] = [.turnLeft, .blink]) throws -> LocalFaceCapture<Room> {
        let challenge = try LivenessChallenge(
            steps: drawing.map { .init($0, pauseMilliseconds: 300) })
        return try LocalFaceCapture(
            live: frames, reader: self, packID: pack, guide: self,
            now: { Instant(milliseconds: 5) }, draw: { challenge })
    }
}

extension Room {
    /// Returns a capture that draws its challenges, without these actions.
    fileprivate func capture(omitting omitted: Set<LivenessAction>) throws -> LocalFaceCapture<Room>
    {
        try LocalFaceCapture(
            live: frames, reader: self, packID: pack,
            recognition: VerificationSettings(
                mode: .livenessActive, timeout: .seconds(60), omittedActions: omitted),
            enrollment: EnrollmentSettings(
                mode: .livenessActive, timeout: .seconds(60), omittedActions: omitted),
            guide: self, now: { Instant(milliseconds: 5) })
    }
}

/// A device whose faces come from a room.
private struct Rig {
    let device: Device
    let room = Room()
    let authenticator: FaceLocalAuthenticator

    init() async throws {
        device = try Device()
        _ = try await device.enrolled()
        authenticator = device.authenticator(faces: try room.capture())
    }

    func expect(
        _ code: DeviceError.Code, _ policy: BiometricPolicy = biometrics, _ comment: Comment? = nil
    ) async {
        await #expect(throws: DeviceError(code, ""), comment) {
            try await authenticator.authenticate(reason: "sign in", policy: policy)
        }
    }

    /// Returns how many wrong faces the device has counted. Measured on a copy, by showing more
    /// until it locks.
    func counted() async throws -> Int {
        let copy = try Device(copyOf: device)
        try await copy.person.shows(2, times: 9)
        for _ in 0..<3 where try await !copy.authenticator().capability().isLockedOut {
            _ = try? await copy.authenticator().authenticate(reason: "", policy: biometrics)
        }
        let asked = await copy.person.faceRequests.count
        // The face after the lock is requested but not judged, unless it was the third of its
        // request.
        return 5 - (0...5).first { n in n + (n % 3 == 0 ? 0 : 1) == asked }!
    }
}

/// Returns the answer once a drawn action is requested.
private func whenInstructed(_ answer: FaceCaptureAnswer)
    -> @Sendable (FrameEvent) -> FaceCaptureAnswer
{
    { $0.action != nil && $0.action != .keepStill ? answer : .goOn }
}

@Suite struct LocalFaceCaptureTests {
    @Test func `a person who cannot perform some actions enrolls and is recognized with others`()
        async throws
    {
        let room = Room(), omitted: Set<LivenessAction> = [.blink, .lookUp]
        let capture = try room.capture(omitting: omitted)
        var drawn: Set<[LivenessAction]> = []
        for _ in 0..<10 {
            room.hold(MadePerson())
            guard case .face = try await capture.captureOwner() else {
                Issue.record("not enrolled: \(room.ended)")
                return
            }
            #expect(omitted.isDisjoint(with: room.allAsked))
            room.hold(MadePerson())
            guard
                case .face = try await capture.present(
                    FaceRequest(reason: "", triesLeft: 1, mayUsePasscode: false))
            else {
                Issue.record("not recognized: \(room.ended)")
                return
            }
            #expect(omitted.isDisjoint(with: room.allAsked))
            #expect(Set(room.allAsked).subtracting([.keepStill]).count == 4)
            drawn.insert(room.allAsked)
        }
        #expect(drawn.count > 1, "drawn for each capture")
    }

    @Test
    func
        `a live owner who follows the drawn actions is accepted, and a live stranger is a wrong face`()
        async throws
    {
        let rig = try await Rig()
        rig.room.hold(MadePerson())
        #expect(
            try await rig.authenticator.authenticate(reason: "sign in", policy: biometrics).method
                == .face)
        #expect(
            rig.room.begun == [
                .recognition(FaceRequest(reason: "sign in", triesLeft: 3, mayUsePasscode: false))
            ])
        #expect(rig.room.ended == [.captured])
        rig.room.hold(MadePerson(), as: 2)
        await rig.expect(.notRecognized)
        #expect(rig.room.opened == 4, "three tries, each from a newly opened source")
        #expect(try await rig.counted() == 3)
    }

    @Test(arguments: FlatPhoto.Skill.allCases)
    func `a photo of the owner is refused and counted, and finally locks the face`(
        skill: FlatPhoto.Skill
    ) async throws {
        let rig = try await Rig()
        rig.room.hold(MadeSheet(skill))
        await rig.expect(.notRecognized)
        #expect(rig.room.ended.count == 3 && !rig.room.ended.contains(.captured))
        #expect(try await rig.counted() == 3)
        rig.room.hold(MadeSheet(skill))
        await rig.expect(.biometricLockout)
        #expect(rig.room.ended.count == 5, "after the fifth no face is requested")
        await rig.device.person.types(rightPIN)
        #expect(
            try await rig.authenticator.authenticate(reason: "", policy: ownerPolicy).method
                == .passcode)
    }

    @Test func `with the owner's policy, the passcode is requested after three photos`()
        async throws
    {
        let rig = try await Rig()
        rig.room.hold(MadeSheet(.tilted))
        await rig.device.person.types(rightPIN)
        #expect(
            try await rig.authenticator.authenticate(reason: "", policy: ownerPolicy).method
                == .passcode)
    }

    @Test func `leaving before an instruction is not a try; leaving after one is`()
        async throws
    {
        for (answer, code) in [
            (FaceCaptureAnswer.cancel, DeviceError.Code.cancel), (.usePasscode, .cancel),
        ] {
            let rig = try await Rig()
            rig.room.hold(MadePerson())
            rig.room.press { _ in answer }
            await rig.expect(code)
            #expect(try await rig.counted() == 0)
            rig.room.press(whenInstructed(answer))
            await rig.expect(code)
            #expect(try await rig.counted() == 1)
            #expect(rig.room.ended == [.stopped, .stopped])
        }
    }

    @Test func `the person may type the passcode if it is allowed`() async throws {
        let rig = try await Rig()
        rig.room.hold(MadePerson())
        for press in [{ @Sendable _ in .usePasscode }, whenInstructed(.usePasscode)] {
            rig.room.press(press)
            await rig.device.person.types(rightPIN)
            #expect(
                try await rig.authenticator.authenticate(reason: "", policy: ownerPolicy).method
                    == .passcode)
        }
    }

    @Test func `an empty room is not a wrong face`() async throws {
        let rig = try await Rig()
        await rig.expect(.notRecognized)
        #expect(rig.room.opened == 1 && rig.room.ended == [.refused([.timedOut])])
        #expect(try await rig.counted() == 0)
        await rig.device.person.types(rightPIN)
        #expect(
            try await rig.authenticator.authenticate(reason: "", policy: ownerPolicy).method
                == .passcode)
    }

    @Test func `a canceled task ends without a verdict; after an instruction it counts as a try`()
        async throws
    {
        for (instructed, counted) in [(false, 0), (true, 1)] {
            let rig = try await Rig()
            rig.room.hold(MadePerson())
            rig.room.press { event in
                if !instructed || (event.action != nil && event.action != .keepStill) {
                    withUnsafeCurrentTask { $0?.cancel() }
                }
                return .goOn
            }
            let task = Task {
                try await rig.authenticator.authenticate(reason: "", policy: biometrics)
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await rig.counted() == counted)
            #expect(rig.room.ended == [.stopped])
        }
    }

    @Test(arguments: [
        (FrameSourceError.Code.notFound, DeviceError.Code.biometricNotSupportedOrPermissionDenied),
        (.notPermitted, .biometricNotSupportedOrPermissionDenied), (.busy, .hardware),
        (.stalled, .hardware), (.failed, .hardware),
        (.unreadable, .hardware), (.tooLarge, .hardware),
    ])
    func `without a camera the error says so, and the passcode remains`(
        broken: FrameSourceError.Code, code: DeviceError.Code
    ) async throws {
        let rig = try await Rig()
        rig.room.breakCamera(FrameSourceError(broken, "no camera today"))
        let error = await #expect(throws: DeviceError.self) {
            try await rig.authenticator.authenticate(reason: "", policy: biometrics)
        }
        #expect(error?.code == code && error?.reason == "no camera today")
        #expect(rig.room.begun.isEmpty && rig.room.ended.isEmpty)
        await rig.device.person.types(rightPIN)
        #expect(
            try await rig.authenticator.authenticate(reason: "", policy: ownerPolicy).method
                == .passcode)
        #expect(try await rig.counted() == 0)
    }

    @Test func `the owner is captured live in four frames and unlocks the device`() async throws {
        let rig = try await Rig()
        rig.room.hold(MadePerson(), as: 3)
        let outcome = try await rig.room.capture().captureOwner()
        guard case .face(let owner) = outcome else {
            Issue.record("no face")
            return
        }
        #expect(
            owner.template.entries.count == 4 && owner.template.packID == pack
                && owner.template.createdAt == Instant(milliseconds: 5)
                && owner.mode == .livenessActive)
        #expect(rig.room.begun == [.enrollment] && rig.room.ended == [.captured])
        try await rig.authenticator.enroll(owner, passcode: rightPIN)
        rig.room.hold(MadePerson(), as: 3)
        #expect(
            try await rig.authenticator.authenticate(reason: "", policy: biometrics).method == .face
        )
    }

    @Test func `a photo is not captured as the owner's face, and canceling captures nothing`()
        async throws
    {
        let room = Room()
        room.hold(MadeSheet(.cutOutAndBent))
        guard case .refused(let refusals) = try await room.capture().captureOwner() else {
            Issue.record("captured")
            return
        }
        #expect(!refusals.isEmpty && room.ended == [.refused(refusals)])
        room.press { _ in .cancel }
        guard case .cancelled = try await room.capture().captureOwner() else {
            Issue.record("not canceled")
            return
        }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await room.capture().captureOwner()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `a source is never captured in image mode`() throws {
        let room = Room(), now: @Sendable () -> Instant = { Instant(milliseconds: 0) }
        let image = SessionSettingError(
            setting: "mode", allowed: "liveness_passive or liveness_active for a live source")
        #expect(throws: image) {
            try LocalFaceCapture(
                live: room.frames, reader: room, packID: pack, recognition: .photo, guide: room,
                now: now)
        }
        #expect(throws: image) {
            try LocalFaceCapture(
                live: room.frames, reader: room, packID: pack, enrollment: .photo, guide: room,
                now: now)
        }
        #expect(
            VerificationSettings.live.mode == .livenessActive
                && EnrollmentSettings.live.mode == .livenessActive)
    }

    @Test func `each capture draws its own challenge`() async throws {
        let room = Room(), drawn = Mutex(0)
        room.hold(MadePerson())
        let capture = try LocalFaceCapture(
            live: room.frames, reader: room, packID: pack, guide: room,
            now: { Instant(milliseconds: 0) },
            draw: {
                drawn.withLock { $0 += 1 }
                return try! LivenessChallenge(steps: [.init(.lookUp)])
            })
        for n in 1...3 {
            room.hold(MadePerson())
            guard
                case .face = try await capture.present(
                    FaceRequest(reason: "", triesLeft: 3, mayUsePasscode: false))
            else {
                Issue.record("refused")
                return
            }
            #expect(drawn.withLock { $0 } == n)
        }
    }
}
