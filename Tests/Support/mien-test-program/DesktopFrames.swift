import Foundation
import MienCore
import MienDevice
import MienDeviceLinux
import MienFace
import MienModels
import MienTools
import MienVault

// For tests of pam_mien: the service of `mien desktop serve`, and an enrollment, in front of a photo that is
// animated instead of a camera. The variables are MIEN_HOME and PACK, the name of a model pack.
//
//   mien-test-program desktop-frames enroll NAME PHOTO
//   mien-test-program desktop-frames serve SOCKET PHOTO|silent

struct DesktopFrames {
    let faces: FaceAuthService
    let pack: ModelPack
    let engine: FaceEngine

    static func run(_ words: [String]) async throws {
        let frames = try DesktopFrames()
        switch words[0] {
        case "enroll": try await frames.enroll(words[1], words[2])
        case "serve": try await frames.serve(at: words[1], words[2])
        default: exit(2)
        }
    }

    private init() throws {
        let environment = ProcessInfo.processInfo.environment
        let home = MienHome(environment: environment)
        pack = try PackLibrary(folder: home.packs).pack(PackID(environment["PACK"] ?? ""))
        engine = try FaceEngine(
            pack: pack, options: NetworkOptions(cacheFolder: home.compiledNetworks.path),
            looksForAttacks: pack.manifest.file(of: .presentationAttack) != nil)
        // The animation of a photo looks live with these, which the service would draw at random.
        let challenge = try LivenessChallenge(
            steps: [.turnLeft, .comeCloser].map { .init($0, pauseMilliseconds: 500) })
        faces = FaceAuthService(
            folder: home.folder.appending(path: "face").path,
            keyPath: home.folder.appending(path: "device.key").path, packID: pack.id, tpm: nil,
            people: try LocalFaceStore.open(
                folder: home.faces.path, keyPath: home.folder.appending(path: "faces.key").path),
            cameras: { [] }, faceModes: nil, files: POSIXFileSystem(), random: .system,
            draw: { challenge }, machineID: { Array(repeating: 1, count: 16) })
    }

    private var looksForAttacks: Bool { pack.manifest.file(of: .presentationAttack) != nil }

    private func enroll(_ name: String, _ file: String) async throws {
        let photo = try await AnimatedPhoto(file, engine), pin = Sensitive("4711")
        if try await !faces.isPINSet() { try await faces.setPIN(DevicePIN(pin)) }
        try await faces.initialize(frames: photo.frames)
        let enroller = try await faces.enroller(
            reader: engine,
            settings: EnrollmentSettings(
                mode: .livenessPassive, countdownToCapture: .zero, framesToEnroll: 2,
                timeout: .seconds(90), presentation: looksForAttacks ? .require : .off))
        let result = try await enroller.result { update in
            if case .frame(let event) = update { photo.follow(event) }
        }
        guard let face = result.face else {
            Self.report("\(result.verdict.refusals)")
            exit(1)
        }
        try await faces.enroll(face, as: PersonName(name), pin: pin)
    }

    private func serve(at socket: String, _ file: String) async throws {
        let photo = file == "silent" ? nil : try await AnimatedPhoto(file, engine)
        let service = try await DesktopService(
            faces: faces,
            networks: looksForAttacks ? .init(reader: engine, matcher: try pack.matcher()) : nil,
            frames: photo?.frames ?? FaceFrames { SilentFrames() }
        ) { event in
            photo?.follow(event)
            return event.guidance?.rawValue ?? event.action?.rawValue
        }
        let server = try DesktopServer(at: socket, idle: nil, service: service) { Self.report($0) }
        Self.report("Ready")
        await server.run()
    }

    private static func report(_ line: String) {
        FileHandle.standardError.write(Data("\(line)\n".utf8))
    }
}
