import MienCore
import MienDevice
import MienDeviceLinux
import MienFace
import MienKeys
import MienTesting
import MienVault
import Synchronization
import Testing

private let ada = try! PersonName("Ada")

/// A camera in front of a person who follows the session's requests, and the pipeline.
private final class Studio: LiveFaceReader {
    private struct State {
        var actor: any MadeActor = MadePerson()
        var person = 1
        var pose: HeadPose?
        var asked: LivenessAction?
        var opened = 0, described = 0
    }
    private let state = Mutex(State())

    func hold(_ actor: any MadeActor, as person: Int = 1) {
        state.withLock { ($0.actor, $0.person) = (actor, person) }
    }

    /// Shows a head that is turned, whatever is asked.
    func turn(_ pose: HeadPose?) { state.withLock { $0.pose = pose } }

    var opened: Int { state.withLock { $0.opened } }
    var described: Int { state.withLock { $0.described } }

    var frames: FaceFrames {
        FaceFrames { [self] in
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
            if let pose = state.pose {
                return .made(
                    MadeLook(yaw: pose.yaw, pitch: pose.pitch), index: index, at: frame.time)
            }
            return state.actor.reading(asked: state.asked, index: index, at: frame.time)
        }
    }

    func entry(of _: FaceReading) async throws -> FaceTemplate.Entry {
        try face(
            state.withLock { state in
                state.described += 1
                return state.person
            }
        ).entries[0]
    }

    func show(_ event: FrameEvent) { state.withLock { $0.asked = event.action } }
}

@Suite struct FaceAuthEnrollerTests {
    private let device: Device
    private let studio = Studio()

    init() throws { device = try Device() }

    private func code(_ body: () async throws -> Void) async -> FaceAuthError.Code? {
        do {
            try await body()
            return nil
        } catch { return (error as? FaceAuthError)?.code }
    }

    private func initialized() async throws -> FaceAuthService {
        let service = device.service()
        try await service.initialize(frames: studio.frames)
        try await service.setPIN(DevicePIN(rightPIN))
        return service
    }

    // MARK: The guide's order of calls

    @Test func `enrolling and verifying require initialize, and uninitialize ends both`()
        async throws
    {
        let service = device.service(), id = try #require(CaptureID("cap_1"))
        try await service.setPIN(DevicePIN(rightPIN))
        let live = try shown(1)
        func all() async -> [FaceAuthError.Code?] {
            [
                await code { _ = try await service.enroller(reader: studio) },
                await code { try await service.enroll(live, as: ada, pin: rightPIN) },
                await code { try await service.enroll(face(1), as: ada) },
                await code { _ = try await service.openFrames() },
                await code {
                    _ = try await service.verify(
                        ada, in: FrameArray([]), reader: studio, matcher: matcher, capture: id)
                },
            ]
        }
        #expect(await all() == Array(repeating: .notInitialized, count: 5))
        try await service.initialize(frames: studio.frames)
        #expect(await service.isInitialized)
        try await service.enroll(live, as: ada, pin: rightPIN)
        await service.uninitialize()
        #expect(await all() == Array(repeating: .notInitialized, count: 5))
        #expect(try await service.people() == [ada], "the face stays enrolled")
    }

    @Test func `uninitialize closes the streams that sessions are using`() async throws {
        let service = try await initialized()
        let enroller = try await service.enroller(reader: studio)
        var frames = 0, result: FaceAuthEnrollmentResult?
        for try await update in try enroller.updates() {
            switch update {
            case .frame(let event):
                frames += 1
                if event.index == 3 { await service.uninitialize() }
            case .finished(let end): result = end
            case .countdown, .capturingStarted, .capturingEnded: break
            }
        }
        #expect(frames == 4 && result?.face == nil)
        #expect(result?.verdict.refusals == [.cancelled])
        // Frames that were opened before deliver nothing more, and a new session needs new ones.
        try await service.initialize(frames: studio.frames)
        let stale = try await service.openFrames()
        await service.uninitialize()
        await #expect(throws: FrameSourceError(.cancelled, "")) {
            var iterator = stale.makeAsyncIterator()
            return try await iterator.next()
        }
    }

    // MARK: Automatic enrollment

    @Test func `a live enrollment counts down, starts and ends capturing, and is stored once`()
        async throws
    {
        let service = try await initialized()
        let settings = try EnrollmentSettings(
            mode: .livenessPassive, countdownToCapture: .seconds(3), framesToEnroll: 2)
        let enroller = try await service.enroller(reader: studio, settings: settings)
        var told: [String] = [], captured: CapturedFace?
        for try await update in try enroller.updates() {
            switch update {
            case .countdown(let seconds): told.append("\(seconds)")
            case .capturingStarted: told.append("started")
            case .capturingEnded: told.append("ended")
            case .frame(let event): studio.show(event)
            case .finished(let result):
                told.append("finished")
                captured = result.face
                #expect(result.verdict.isCaptured)
            }
        }
        #expect(told == ["3", "2", "1", "started", "ended", "finished"])
        let face = try #require(captured)
        #expect(face.mode == .livenessPassive && face.template.entries.count == 2)
        #expect(try await !service.isConfigured(), "nothing is stored before the PIN")
        try await service.enroll(face, as: ada, pin: rightPIN)
        #expect(try await service.isConfirmed(ada))
    }

    @Test func `canceling ends capturing without a face`() async throws {
        let service = try await initialized()
        let enroller = try await service.enroller(
            reader: studio, settings: EnrollmentSettings(countdownToCapture: .zero))
        let ended = Mutex(0)
        let result = try await enroller.result { update in
            if case .frame = update { enroller.cancel() }
            if case .capturingEnded = update { ended.withLock { $0 += 1 } }
        }
        #expect(result.face == nil && result.verdict.refusals == [.cancelled])
        #expect(ended.withLock { $0 } == 1)
    }

    // MARK: The app adds frames

    private func manual() throws -> EnrollmentSettings {
        try EnrollmentSettings(control: .manual, countdownToCapture: .zero)
    }

    @Test func `in simple mode, the app adds one frontal frame and completes`() async throws {
        let service = try await initialized()
        let enroller = try await service.enroller(reader: studio, settings: manual())
        var events: [FrameEvent] = [], captured: CapturedFace?
        for try await update in try enroller.updates() {
            switch update {
            case .frame(let event):
                events.append(event)
                if event.lastExtraction == .success {
                    try enroller.completeEnrollment()
                } else if event.index == 5 {
                    try enroller.addFrame(event)
                }
            case .finished(let result): captured = result.face
            case .countdown, .capturingStarted, .capturingEnded: break
            }
        }
        #expect(events.map(\.lastExtraction) == Array(repeating: nil, count: 6) + [.success])
        #expect(studio.described == 1, "only the added frame was extracted")
        let face = try #require(captured)
        #expect(face.mode == .image && face.template.entries.count == 1)
    }

    @Test func `in full mode, the app adds a frame of each side`() async throws {
        let service = try await initialized()
        let enroller = try await service.enroller(reader: studio, settings: manual())
        // The guide's order: front, right, left, bottom, top.
        let views: [(EnrollmentView, HeadPose)] = [
            (.front, .frontal), (.right, HeadPose(yaw: -25, pitch: 0, roll: 0)),
            (.left, HeadPose(yaw: 22, pitch: 0, roll: 0)),
            (.bottom, HeadPose(yaw: 0, pitch: -20, roll: 0)),
            (.top, HeadPose(yaw: 0, pitch: 20, roll: 0)),
        ]
        var next = 0, captured: CapturedFace?
        for try await update in try enroller.updates() {
            switch update {
            case .frame(let event):
                if event.lastExtraction == .success { next += 1 }
                guard next < views.count else {
                    try enroller.completeEnrollment()
                    continue
                }
                studio.turn(views[next].1)
                if event.lastExtraction != .success, let pose = event.pose,
                    views[next].0.isShown(by: pose)
                {
                    try enroller.addFrame(event)
                }
            case .finished(let result): captured = result.face
            case .countdown, .capturingStarted, .capturingEnded: break
            }
        }
        #expect(captured?.template.entries.count == 5)
    }

    @Test func `requests that do not fit are refused by name, and change nothing`() async throws {
        let service = try await initialized()
        let enroller = try await service.enroller(reader: studio, settings: manual())
        func fails(_ code: EnrollmentRequestError.Code, _ body: () throws -> Void) {
            #expect(throws: EnrollmentRequestError(code, "")) { try body() }
        }
        var first: FrameEvent?, ended: FaceAuthEnrollmentResult?
        studio.turn(.frontal)
        for try await update in try enroller.updates() {
            switch update {
            case .frame(let event):
                switch event.index {
                case 0:
                    first = event
                    fails(.noFrames) { try enroller.completeEnrollment() }
                case 1:
                    let old = try #require(first)
                    fails(.notCurrent) { try enroller.addFrame(old) }
                    try enroller.addFrame(event)
                    fails(.alreadyExtracting) { try enroller.addFrame(event) }
                case 2:
                    #expect(event.lastExtraction == .success)
                    try enroller.completeEnrollment()
                default: Issue.record("a frame after the end")
                }
            case .finished(let result):
                ended = result
                let old = try #require(first)
                fails(.finished) { try enroller.addFrame(old) }
                fails(.finished) { try enroller.completeEnrollment() }
            case .countdown, .capturingStarted, .capturingEnded: break
            }
        }
        #expect(ended?.face?.template.entries.count == 1)

        let automatic = try await service.enroller(
            reader: studio, settings: EnrollmentSettings(countdownToCapture: .zero))
        for try await update in try automatic.updates() {
            if case .frame(let event) = update {
                fails(.automatic) { try automatic.addFrame(event) }
                fails(.automatic) { try automatic.completeEnrollment() }
                break
            }
        }
    }

    @Test func `an added frame of poor quality or without a face is not taken`() async throws {
        let control = EnrollmentControl(),
            reader = Looks([
                MadeLook(quality: 10), nil, MadeLook(), MadeLook(),
            ])
        let enroller = FaceEnroller(reader: reader, settings: try manual(), control: control)
        var extractions: [FrameEvent.Extraction?] = []
        let frames = FrameArray(
            (0..<4).map {
                Frame(
                    image: RGBImage(width: 1, height: 1, filledWith: .black),
                    time: .milliseconds(40 * $0))
            })
        for try await update in try enroller.updates(
            of: frames, capture: try #require(CaptureID("cap_1")))
        {
            guard case .frame(let event) = update else { continue }
            extractions.append(event.lastExtraction)
            if event.index == 1 {
                #expect(throws: EnrollmentRequestError(.noFace, "")) {
                    try control.addFrame(event)
                }
            } else {
                try control.addFrame(event)
            }
        }
        #expect(extractions == [nil, .failed, nil, .success])
    }

    @Test func `in a liveness mode, no frame is added before the person has passed as live`()
        async throws
    {
        let service = try await initialized()
        let settings = try EnrollmentSettings(
            mode: .livenessPassive, control: .manual, countdownToCapture: .zero)
        // A picture that never blinks: the app adds each frame, and completes at once.
        studio.hold(MadeSheet(.held))
        let enroller = try await service.enroller(reader: studio, settings: settings)
        let result = try await enroller.result { [studio] update in
            guard case .frame(let event) = update else { return }
            studio.show(event)
            try? enroller.addFrame(event)
            try? enroller.completeEnrollment()
        }
        #expect(result.face == nil && result.verdict.refusals.first == .blinkMissed)

        studio.hold(MadePerson())
        let second = try await service.enroller(reader: studio, settings: settings)
        let live = try await second.result { [studio] update in
            guard case .frame(let event) = update else { return }
            studio.show(event)
            if event.captured >= 3 { try? second.completeEnrollment() }
            try? second.addFrame(event)
        }
        #expect(live.face?.mode == .livenessPassive)
        #expect((live.face?.template.entries.count ?? 0) >= 3)
    }
}

/// Shows prepared looks, one for each frame.
private struct Looks: LiveFaceReader {
    let looks: [MadeLook?]
    init(_ looks: [MadeLook?]) { self.looks = looks }

    func reading(of frame: Frame, index: Int) async throws -> FaceReading {
        .made(looks[index], index: index, at: frame.time)
    }
    func entry(of _: FaceReading) async throws -> FaceTemplate.Entry { try face(1).entries[0] }
}
