import CoreML
import FakePhone
import Foundation
import MienCore
import MienDevice
import MienFace
import MienTesting
import MienVault

/// Networks on Core ML.
@MainActor let networkTests = [
    AppleTest(
        "networks run on Core ML in the layout of the pack, and a missing or wrong one says which"
    ) {
        let geometry = FaceGeometry(
            detectorShortRange: DetectorGeometry(
                input: InputGeometry(width: 16, height: 8), grids: [.init(stride: 16, perCell: 1)]),
            detectorFullRange: nil,
            mesh: MeshGeometry(input: InputGeometry(width: 64, height: 64), cropFactor: 1.5),
            iris: IrisGeometry(input: InputGeometry(width: 16, height: 16), cropFactor: 2.3),
            descriptor: DescriptorGeometry(
                input: InputGeometry(width: 32, height: 16, layout: .nchw), dimensions: 4,
                alignment: [
                    .init(mesh: 33, x: 10, y: 12), .init(mesh: 263, x: 22, y: 12),
                    .init(mesh: 2, x: 16, y: 14),
                ]))
        var places: [FaceNetwork: URL] = [:]
        for network in FaceNetwork.allCases where !network.isOptional {
            let name = "\(network.rawValue).mlmodelc"
            places[network] = URL(fileURLWithPath: "/models/\(name)")
            FakeModels.shared.register(name, shape: geometry.input(of: network)?.shape ?? []) {
                input in
                [[Float(input.count), input[1]], [input[0]], [input.reduce(0, +)]]
            }
        }
        let networks = try CoreMLFaceNetworks(geometry: geometry, models: places)
        for (network, input) in [
            (FaceNetwork.detectorShortRange, geometry.detectorShortRange.input),
            (.descriptor, geometry.descriptor.input),
        ] {
            let outputs = try networks.run(network) { span in
                for index in 0..<span.count { span[index] = index < 2 ? Float(index + 3) : 0.5 }
            }
            expect(
                outputs == [[Float(input.count), 4], [3], [7 + Float(input.count - 2) / 2]],
                "\(outputs)")
        }
        expect(
            (await error { _ = try networks.run(.presentationAttack) { _ in } } as? FaceModelError)?
                .network == .presentationAttack)
        var missing = places
        missing[.mesh] = nil
        expect(
            (await error { _ = try CoreMLFaceNetworks(geometry: geometry, models: missing) }
                as? FaceModelError)?.network == .mesh)
        missing[.mesh] = URL(fileURLWithPath: "/models/unknown.mlmodelc")
        expect(
            (await error { _ = try CoreMLFaceNetworks(geometry: geometry, models: missing) }
                as? FaceModelError)?.network == .mesh)
    },
    AppleTest(
        "a pack of setup, with models of Core ML, recognizes the face that the front camera sees",
        shows: ["networks of the device's own"]
    ) {
        let folder = try installedPack(), pack = try CoreMLFacePack(folder: folder)
        expect(pack.id.text == folder.lastPathComponent)
        registerModels(of: pack)
        let reader = try pack.reader()
        func camera(_ red: UInt8) {
            FakePhone.shared.with {
                $0.framesPerSecond = 30
                $0.picture = { isFront in
                    guard isFront else { return nil }
                    return FakePicture(width: 180, height: 320, sizes: [:]) { x, y in
                        (red, UInt8(y % 256), UInt8(x % 256))
                    }
                }
            }
        }
        camera(40)
        let app = FileManager.default.temporaryDirectory.appending(
            path: "mien-pack-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: app) }
        let service = FaceAuthService(folder: app.path, packID: pack.id)
        try await service.initialize()
        let settings = try EnrollmentSettings(
            mode: .image, qualityThreshold: 0, countdownToCapture: .zero, framesToEnroll: 1)
        let enroller = try await service.enroller(reader: reader, settings: settings)
        let result = try await enroller.result()
        let captured = try require(result.face, "refused: \(result.verdict.refusals)")
        expect(!captured.isLive)
        let ada = try PersonName("Ada")
        try await service.enroll(captured.template, as: ada)
        for (red, isSame) in [(40, true), (250, false)] as [(UInt8, Bool)] {
            camera(red)
            let look = try await service.verify(
                ada, in: service.openFrames(), reader: reader, matcher: pack.matcher,
                settings: VerificationSettings(mode: .image, qualityThreshold: 0),
                capture: try require(CaptureID("cap_1")))
            expect(look.verdict.isAccepted == isSame, "\(red): \(look.verdict.refusals)")
            expect(look.input == nil)
        }
    },
    AppleTest("the guide to Face ID runs line by line, up to the first picture of an enrollment") {
        FakePhone.shared.with {
            $0.picture = { $0 ? FakePicture(width: 90, height: 160, sizes: [:]) : nil }
        }
        let chosen = Sensitive("4711"), folder = try installedPack()
        registerModels(of: try CoreMLFacePack(folder: folder))
        let app = FileManager.default.temporaryDirectory.appending(
            path: "mien-guide-\(UUID().uuidString)"
        ).path
        defer { try? FileManager.default.removeItem(atPath: app) }
        let pack = try CoreMLFacePack(folder: folder)
        let reader = try pack.reader()
        let vault = OTPVault(folder: "\(app)/tokens")
        let service = FaceAuthService(folder: "\(app)/face", packID: pack.id, faceModes: vault)
        guard await service.isSupported() else { return }
        try await service.initialize()
        if try await !service.isPINSet() { try await service.setPIN(DevicePIN(chosen)) }
        let enroller = try await service.enroller(reader: reader)
        var isPictureSeen = false
        for try await update in try enroller.updates() {
            if case .frame(let event) = update { isPictureSeen = event.frame.image.width == 90 }
            if isPictureSeen { break }
        }
        expect(isPictureSeen)
        expect(try await service.isPINSet())
        try await service.checkPIN(chosen)
    },
    AppleTest("a pack that is not whole is refused") {
        let source = try installedPack()
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "mien-pack-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        @MainActor func code() async -> FaceAuthError.Code? {
            (await error { _ = try CoreMLFacePack(folder: folder) } as? FaceAuthError)?.code
        }
        expect(await code() == .storage)
        for name in ["manifest.json", "calibration.json", "cohort.bin"] {
            try FileManager.default.copyItem(
                at: source.appending(path: name), to: folder.appending(path: name))
        }
        expect(await code() == nil)
        for name in ["calibration.json", "cohort.bin", "manifest.json"] {
            let file = folder.appending(path: name), data = try Data(contentsOf: file)
            try data.dropLast(9).write(to: file)
            expect(await code() == .storage, name)
            try data.write(to: file)
        }
        expect(await code() == nil)
    },
]

/// A pack that setup has assembled.
private func installedPack() throws -> URL {
    let environment = ProcessInfo.processInfo.environment
    let home = environment["MIEN_HOME"] ?? (environment["HOME"] ?? "") + "/.local/share/mien"
    for name in ["mien-default-2", "mien-basic-1"] {
        let folder = URL(fileURLWithPath: "\(home)/packs/\(name)")
        if FileManager.default.fileExists(atPath: folder.appending(path: "manifest.json").path) {
            return folder
        }
    }
    throw Skipped(reason: "needs a model pack: run scripts/setup")
}

/// Networks that find one head, and describe it by the mean color of its picture.
private func registerModels(of pack: CoreMLFacePack) {
    let geometry = pack.geometry
    let face = DetectedFace.made(center: Point(x: 90, y: 160), width: 100)
    let found = geometry.detectorShortRange.outputs(showing: [face], inPictureOf: 180, by: 320)
    let points = SyntheticHead().outputs(
        side: Double(geometry.mesh.input.width),
        halfWidth: Double(geometry.mesh.input.width) / 4)
    for network in FaceNetwork.allCases {
        guard let input = geometry.input(of: network) else { continue }
        let dimensions = geometry.descriptor.dimensions
        FakeModels.shared.register("\(network.rawValue).mlmodelc", shape: input.shape) { input in
            switch network {
            case .detectorShortRange, .detectorFullRange: return found
            case .mesh: return points
            case .iris: return [(0..<213).map { Float($0) }, Array(repeating: 0, count: 15)]
            case .descriptor:
                let mean = input.reduce(0, +) / Float(input.count)
                return [(0..<dimensions).map { sin(Float($0) * (1 + mean)) }]
            case .presentationAttack:
                return [Array(repeating: 1, count: geometry.presentationAttack?.classes ?? 1)]
            }
        }
    }
}
