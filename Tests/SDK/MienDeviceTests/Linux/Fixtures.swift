import Foundation
import MienCore
import MienDevice
import MienDeviceLinux
import MienFace
import MienHardware
import MienTesting
import MienVault
import Synchronization

let pack = try! PackID("made-up"), dimensions = 32
let rightPIN = Sensitive("4711"), wrongPIN = Sensitive("1147")
let owner = try! PersonName("owner")

/// Returns a stand-in for a face: a direction for each number, at right angles to all others.
func face(_ person: Int, pack: PackID = pack, dimensions: Int = dimensions) throws -> FaceTemplate {
    var values = [Float](repeating: 0, count: dimensions)
    values[person] = 1
    return try FaceTemplate(
        entries: [.init(descriptor: FaceDescriptor(values), quality: 90, pose: .frontal)],
        packID: pack, createdAt: Instant(milliseconds: 1))
}

/// Returns the same stand-in as a capture session would take it.
func shown(
    _ person: Int, mode: FaceCaptureMode = .livenessActive, pack: PackID = pack
) throws -> CapturedFace {
    CapturedFace(try face(person, pack: pack), mode: mode)
}

/// Compares those directions: the same one scores at the top of the scale, and two different ones
/// at the bottom.
let matcher: FaceMatcher = {
    var generator = TestSeed.generator(77)
    let members = (0..<100).map { _ in
        let raw = (0..<dimensions).map { _ in Float.random(in: -1...1, using: &generator) }
        let length = raw.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return raw.map { $0 / length }
    }
    let knots = [(-2.0, -1.0), (3, -2), (5, -4), (7, -6)].map {
        CalibrationTable.Knot(
            score: $0.0, logRate: $0.1, support: 1, interval: [$0.1, $0.1], isExtrapolated: false)
    }
    let measurement = CalibrationMeasurement(
        dataset: "made up", descriptor: "made-up", madeOn: "2026-01-01", people: 1, photos: 1,
        impostorPairs: 1, matedPairs: 1, seed: 1, groups: 1,
        cohortCount: 100, nearestCount: 30, components: 1, bootstrapRounds: 1, acceptance: [])
    return try! FaceMatcher(
        cohort: Cohort(members: members, nearestCount: 30),
        calibration: CalibrationTable(knots: knots, measurement: measurement))
}()

/// Shows and types prepared answers in order and counts the requests. After the last answer the
/// person cancels.
actor Person: FacePresenter, PasscodePresenter {
    private var faces: [PresentedFace] = []
    private var pins: [Sensitive<String>?] = []
    private var beforeShowing: @Sendable () async throws -> Void = {}
    private(set) var faceRequests: [FaceRequest] = []
    private(set) var passcodeRequests: [PasscodeRequest] = []

    func shows(_ faces: PresentedFace...) { self.faces = faces }
    func shows(_ person: Int, times: Int = 1) throws {
        faces = Array(repeating: .face(try shown(person)), count: times)
    }
    func types(_ pins: Sensitive<String>?...) { self.pins = pins }
    func before(_ body: @escaping @Sendable () async throws -> Void) { beforeShowing = body }

    func present(_ request: FaceRequest) async throws -> PresentedFace {
        faceRequests.append(request)
        let shown = faces.isEmpty ? .cancelled : faces.removeFirst()
        try await beforeShowing()
        return shown
    }

    func passcode(_ request: PasscodeRequest) -> Sensitive<String>? {
        passcodeRequests.append(request)
        return pins.isEmpty ? nil : pins.removeFirst()
    }
}

/// A clock that advances when the test says so.
final class HandClock: Sendable {
    private let time = Mutex(Instant(milliseconds: 1_700_000_000_000))

    var now: Instant { time.withLock { $0 } }
    func pass(_ seconds: Int) { time.withLock { $0 = $0 + .seconds(seconds) } }
}

/// One device: its folder, its owner, its clock.
struct Device {
    let scratch: ScratchFolder
    let person = Person()
    let clock = HandClock()

    init() throws { scratch = try ScratchFolder() }

    /// Creates another device with the same files.
    init(copyOf other: Device) throws {
        scratch = try ScratchFolder()
        for name in ["device", "keys"] {
            try FileManager.default.copyItem(at: other.scratch(name), to: scratch(name))
        }
    }

    var folder: String { scratch("device").path }
    var keyPath: String { scratch("keys/device.key").path }

    /// The service after a restart: only the files are shared.
    func service(
        files: any FileSystem = POSIXFileSystem(), integrity: IntegrityPolicy = .report
    ) -> FaceAuthService {
        FaceAuthService(
            folder: folder, keyPath: keyPath, packID: pack, tpm: nil, cameras: { [] },
            faceModes: nil, integrity: integrity, now: { [clock] in clock.now }, files: files,
            random: .system,
            hasher: PasswordHasher(cost: .init(memory: 8, passes: 1)),
            machineID: { Array("machine".utf8) })
    }

    /// The authenticator of the device's owner after a restart.
    ///
    /// - Parameter faces: The presenter of faces; the device's person by default.
    func authenticator(
        files: any FileSystem = POSIXFileSystem(), faces: (any FacePresenter)? = nil,
        of owner: PersonName = owner, integrity: IntegrityPolicy = .report
    ) -> FaceLocalAuthenticator {
        FaceLocalAuthenticator(
            service: service(files: files, integrity: integrity), owner: owner, matcher: matcher,
            faces: faces ?? person, passcodes: person)
    }

    /// Returns an authenticator with the PIN set and person 1 enrolled.
    func enrolled() async throws -> FaceLocalAuthenticator {
        let authenticator = authenticator()
        try await authenticator.setPasscode(DevicePIN(rightPIN))
        try await authenticator.enroll(shown(1), passcode: rightPIN)
        return authenticator
    }
}

extension FaceAuthService {
    /// Returns the service after it was initialized with a source without frames.
    func ready() async throws -> FaceAuthService {
        if !isInitialized { try await initialize(frames: FaceFrames { FrameArray([]) }) }
        return self
    }

    /// Stores a person's face for recognition only, as from photos.
    func enrollPhoto(_ number: Int, as name: PersonName) async throws {
        try await ready().enroll(MienDeviceTests.face(number), as: name)
    }

    /// Stores a person's live face with the device's PIN, which is set first if it is missing.
    func enrollLive(_ number: Int, as name: PersonName) async throws {
        if try !isPINSet() { try setPIN(DevicePIN(rightPIN)) }
        try await ready().enroll(shown(number), as: name, pin: rightPIN)
    }
}

/// The machine's files until a given call. From then on every call fails, as after a power cut, or
/// only one kind of call fails.
final class FailingFiles: FileSystem {
    private let real = POSIXFileSystem()
    private let callsLeft: Mutex<Int>
    private let only: FileSystemError.Operation?

    /// - Parameter only: The kind of call that fails and is counted; `nil` for all.
    init(after calls: Int, only: FileSystemError.Operation? = nil) {
        callsLeft = Mutex(calls)
        self.only = only
    }

    var hasFailed: Bool { callsLeft.withLock { $0 < 0 } }

    private func spend(_ operation: FileSystemError.Operation, _ path: String)
        throws(FileSystemError)
    {
        if let only, only != operation { return }
        let left = callsLeft.withLock { left in
            left -= 1
            return left
        }
        if left < 0 { throw FileSystemError(operation, path, .failed, errno: 5) }
    }

    var currentUser: UInt32 { real.currentUser }
    func read(_ path: String, atMost limit: Int) throws(FileSystemError) -> FileContents? {
        try spend(.read, path)
        return try real.read(path, atMost: limit)
    }
    func list(_ folder: String) throws(FileSystemError) -> [String]? { try real.list(folder) }
    func mode(ofFolder path: String) throws(FileSystemError) -> UInt32? {
        try real.mode(ofFolder: path)
    }
    func makeFolder(_ path: String) throws(FileSystemError) -> Bool { try real.makeFolder(path) }
    func createFile(_ path: String) throws(FileSystemError) -> any WritableFile {
        try spend(.create, path)
        return try FailingFile(real: real.createFile(path)) { () throws(FileSystemError) in
            try self.spend(.write, path)
        }
    }
    func rename(_ path: String, to target: String) throws(FileSystemError) {
        try spend(.rename, path)
        try real.rename(path, to: target)
    }
    func link(_ path: String, to target: String) throws(FileSystemError) {
        try real.link(path, to: target)
    }
    func remove(_ path: String) throws(FileSystemError) {
        try spend(.remove, path)
        try real.remove(path)
    }
    func syncFolder(_ folder: String) throws(FileSystemError) {
        try spend(.sync, folder)
        try real.syncFolder(folder)
    }
    func lock(_ path: String, _ mode: LockMode) throws(FileSystemError) -> any FileLock {
        try spend(.lock, path)
        return try real.lock(path, mode)
    }
}

private final class FailingFile: WritableFile {
    private let real: any WritableFile
    private let spend: () throws(FileSystemError) -> Void

    init(real: any WritableFile, spend: @escaping () throws(FileSystemError) -> Void) {
        (self.real, self.spend) = (real, spend)
    }

    func write(_ bytes: [UInt8]) throws(FileSystemError) {
        // Half of the data is written.
        do { try spend() } catch {
            try? real.write(Array(bytes.prefix(bytes.count / 2)))
            throw error
        }
        try real.write(bytes)
    }
    func sync() throws(FileSystemError) {
        try spend()
        try real.sync()
    }
    func close() { real.close() }
}
