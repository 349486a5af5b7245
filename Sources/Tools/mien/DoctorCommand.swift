import ArgumentParser
import Foundation
import MienCore
import MienDevice
import MienDeviceLinux
import MienFace
import MienModels
import MienTools
import MienVault

/// `mien doctor`
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check the installation, and say how to fix what is wrong.",
        discussion: """
            Exits with 0 if everything is in order and 3 if something is missing or wrong.

            EXAMPLE
              mien doctor
              mien doctor --config /etc/mien/mien.yaml
            """)

    @Option(
        help: ArgumentHelp(
            "Also check the master keys of the server with this file of settings.",
            valueName: "mien.yaml"), completion: .file())
    var config: String?
    @OptionGroup var engine: EngineOptions
    @OptionGroup var output: OutputOptions

    struct Check: Encodable {
        let name: String
        let ok: Bool
        let detail: String
    }

    func run() async throws {
        let progress = ProgressBar(
            "Looking", total: (config == nil ? 7 : 8) + IntegritySignal.allCases.count)
        var checks: [Check] = []
        func add(_ check: Check) {
            checks.append(check)
            progress.update(checks.count)
        }
        add(Self.check("OpenVINO", Self.openVINO))
        add(Self.check("model pack", pack))
        add(Self.check("calibration", calibration))
        add(await Self.check("face pipeline", pipeline))
        add(Self.check("enrolled faces", store))
        add(Self.check("compiled networks", cache))
        add(Self.check("private folders", folders))
        if let config {
            add(
                Self.check("master keys") {
                    try ServerKeysReport(ServerSettings.load(config)).words
                })
        }
        // As the process was started; commands that read secrets harden theirs.
        for finding in ProcessIntegrity.inspect() { add(Self.check(finding)) }
        progress.finish()
        if output.json { JSON.print(["checks": checks]) } else { report(checks) }
        if checks.contains(where: { !$0.ok }) { throw Outcome.notSetUp }
    }

    private func report(_ checks: [Check]) {
        print(Terminal.table(checks.map { [$0.ok ? "✓" : "✗", $0.name, $0.detail] }))
        let bad = checks.count { !$0.ok }
        print(
            bad == 0
                ? "Everything is in order."
                : "\(bad == 1 ? "One check" : "\(bad) checks") failed. scripts/setup fixes most problems."
        )
    }

    private static func check(_ name: String, _ look: () throws -> String) -> Check {
        do { return Check(name: name, ok: true, detail: try look()) } catch {
            return Check(name: name, ok: false, detail: Failure(error).message)
        }
    }

    private static func check(_ name: String, _ look: () async throws -> String) async -> Check {
        do { return Check(name: name, ok: true, detail: try await look()) } catch {
            return Check(name: name, ok: false, detail: Failure(error).message)
        }
    }

    /// Swap space is normal. Its finding only says what it means.
    private static func check(_ finding: IntegrityFinding) -> Check {
        Check(
            name: finding.signal.words, ok: !finding.isPresent || finding.signal == .swap,
            detail: finding.detail)
    }

    private func pack() throws -> String {
        let pack = try engine.loadPack()
        let files = "\(pack.id.text): \(pack.manifest.files.count) files, all match the manifest"
        if pack.id == PackLibrary.basicID { return "\(files); \(PackLibrary.basicPackAdvice)" }
        let lacksNetwork =
            pack.id == PackLibrary.betterID && pack.manifest.file(of: .presentationAttack) == nil
        return lacksNetwork
            ? "\(files); it has no network against prints and screens; \(PackLibrary.presentationAdvice)"
            : files
    }

    private static func openVINO() throws -> String {
        let runtime = try InferenceRuntime()
        let precisions = runtime.capabilities.filter { $0.hasPrefix("F") || $0.hasPrefix("B") }
        return "\(InferenceRuntime.version); this CPU has \(precisions.joined(separator: ", "))"
    }

    private func calibration() throws -> String {
        let measurement = try engine.loadPack().matcher().calibration.measurement
        return
            "measured on \(measurement.dataset): \(measurement.people.grouped) people, \(measurement.impostorPairs.grouped) impostor pairs"
    }

    /// Runs every network once on a blank picture.
    private func pipeline() async throws -> String {
        let started = ContinuousClock.now
        let pack = try engine.loadPack()
        let faces = try engine.loadEngine(pack)
        try await faces.run { _, networks in
            // The pipeline stops if it finds no face, and would not reach a broken network behind
            // the detector.
            for network in FaceNetwork.allCases where pack.manifest.file(of: network) != nil {
                _ = try networks.run(network) { input in
                    for i in input.indices { input[i] = 0 }
                }
            }
        }
        let blank = RGBImage(width: 640, height: 480, filledWith: RGBColor(90, 120, 150))
        let found = try await faces.analyze(blank, search: .thorough).faces.count
        guard found == 0 else {
            throw Failure(
                .notSetUp, "doctor.pipeline",
                "\(found) faces were found in a blank picture: the networks do not work on this CPU"
            )
        }
        return
            "loaded and run in \(String.decimal((ContinuousClock.now - started) / .seconds(1), 2)) s"
    }

    private func store() throws -> String {
        let listing = try engine.home.openStore().list()
        guard listing.damaged.isEmpty else {
            throw Failure(
                .notSetUp, "faces.damaged",
                listing.damaged.map(\.description).joined(separator: "; "))
        }
        return "\(listing.faces.count) in \(engine.home.faces.path)"
    }

    private func cache() throws -> String {
        let folder = engine.home.compiledNetworks
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard FileManager.default.isWritableFile(atPath: folder.path) else {
            throw Failure(
                .notSetUp, "cache.not-writable",
                "\(folder.path) cannot be written: every start will take longer; fix its permissions"
            )
        }
        return folder.path
    }

    /// Checks folders in which a writer could replace the model or exchange people's faces.
    private func folders() throws -> String {
        let home = engine.home, manager = FileManager.default
        let packs = ((try? manager.contentsOfDirectory(atPath: home.packs.path)) ?? []).filter {
            !$0.hasPrefix(".")
        }
        let folders =
            [
                home.folder, home.packs, home.definitions, home.faces, home.cache,
                home.compiledNetworks,
                home.evaluationCache,
            ]
            + packs.map { home.packs.appending(path: $0, directoryHint: .isDirectory) }
        let open = folders.filter { folder in
            // Follows links.
            let mode =
                (try? manager.attributesOfItem(atPath: folder.resolvingSymlinksInPath().path))?[
                    .posixPermissions] as? Int
            return (mode ?? 0) & 0o022 != 0
        }
        guard open.isEmpty else {
            throw Failure(
                .notSetUp, "folders.mode",
                "users other than the owner can change \(open.map(\.path).joined(separator: ", ")). Run: chmod go-w \(open.map(\.path).joined(separator: " "))"
            )
        }
        return "only their owner can change them"
    }
}
