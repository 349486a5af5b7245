import Foundation
import MienTesting
import Testing

/// Model packs: none, damaged, another one; list, install, verify; doctor.
@Suite struct PackTests {
    @Test func `without a pack, every command that needs one says what to do`() async throws {
        let home = try TemporaryHome(hasPack: false)
        for arguments in [
            ["models", "verify"], ["face", "identify", "a.jpg"],
            ["face", "verify", "ada", "a.jpg"], ["face", "enroll", "ada", "a.jpg"],
        ] {
            let result = try await home.mien(arguments + ["--json"])
            #expect(
                try result.status == 3 && result.error.code == "pack.not-installed"
                    && result.err.contains("scripts/setup"))
        }
        let named = try await home.mien("models", "verify", "mien-none-1", "--json")
        #expect(
            try named.status == 3 && named.error.code == "pack.not-installed"
                && named.err.contains("mien models install"))
        let list = try await home.mien("models", "list")
        #expect(list.status == 0 && list.out.contains("scripts/setup"))
        #expect(try await home.mien("models", "list", "--json").json["packs"] as? [String] == [])
    }

    @Test func `doctor exits with 3 without a pack and says what is wrong`() async throws {
        let home = try TemporaryHome(hasPack: false)
        let result = try await home.mien("doctor")
        #expect(
            result.status == 3 && result.out.contains("✗") && result.out.contains("scripts/setup"))
        let object = try await home.mien("doctor", "--json").json
        let checks = try #require(object["checks"] as? [[String: Any]])
        #expect(
            checks.count == 11
                && checks.allSatisfy { $0.keys.sorted() == ["detail", "name", "ok"] })
        #expect(
            checks.contains { $0["name"] as? String == "model pack" && $0["ok"] as? Bool == false })
    }

    @Test(.needsPack) func `doctor exits with 0 for a complete installation`() async throws {
        let home = try TemporaryHome()
        let result = try await home.mien("doctor")
        #expect(
            result.status == 0 && result.out.contains("Everything is in order.")
                && !result.out.contains("✗") && result.out.contains("recognizes 87 of 100")
                && result.out.contains("mien models build --files"),
            "\(result.out)")
        let checks = try #require(
            try await home.mien("doctor", "--json").json["checks"] as? [[String: Any]])
        #expect(checks.count == 11 && checks.allSatisfy { $0["ok"] as? Bool == true })
    }

    @Test(.needsPack) func `every command looks for packs in MIEN_PACKS`() async throws {
        let home = try TemporaryHome(hasPack: false)
        let pack = try home.packCopy(named: "mien-elsewhere-1")
        let elsewhere = ["MIEN_PACKS": pack.deletingLastPathComponent().path]
        for command in [["list"], ["verify", "mien-elsewhere-1"]] {
            let found = try await home.mien(["models"] + command, settings: elsewhere)
            #expect(
                found.status == 0 && found.out.contains("mien-elsewhere-1"), "\(command): \(found)")
        }
        // The error of the pipeline comes after the pack was found.
        let face = try await home.mien(
            ["face", "inspect", "--pack", "mien-elsewhere-1", "none.jpg", "--json"],
            settings: elsewhere)
        #expect(try face.error.code != "pack.not-installed", "\(face)")
        let doctor = try await home.mien(["doctor"], settings: elsewhere)
        #expect(doctor.out.contains(pack.deletingLastPathComponent().path), "\(doctor.out)")
        let archive = try home.packCopy(named: "mien-other-1")
        let target = home.files.appending(path: "installed")
        let installed = try await home.mien(
            ["models", "install", archive.path], settings: ["MIEN_PACKS": target.path])
        #expect(installed.status == 0, "\(installed)")
        #expect(
            FileManager.default.fileExists(
                atPath: target.appending(path: "mien-other-1/manifest.json").path))
        let empty = try await home.mien("models", "list", "--json")
        #expect(try empty.json["packs"] as? [String] == [])
    }

    @Test(.needsPack) func `packs are listed, verified, and installed`() async throws {
        let home = try TemporaryHome()
        let list = try await home.mien("models", "list")
        #expect(list.status == 0 && list.out.contains("mien-basic-1 (default)"))
        let packs = try #require(
            try await home.mien("models", "list", "--json").json["packs"] as? [[String: Any]])
        #expect(
            packs.count == 1
                && packs[0].keys.sorted() == ["dimensions", "id", "is_default", "licence", "title"])
        #expect(
            packs[0]["id"] as? String == "mien-basic-1" && packs[0]["is_default"] as? Bool == true
                && packs[0]["dimensions"] as? Int == 128)

        let verified = try await home.mien("models", "verify")
        #expect(verified.status == 0 && verified.out.contains("mien-basic-1: all 8 files"))
        let object = try #require(
            try await home.mien("models", "verify", "mien-basic-1", "--json").json["packs"]
                as? [[String: Any]])
        #expect(
            object.count == 1 && object[0]["id"] as? String == "mien-basic-1"
                && object[0]["files"] as? Int == 8)

        let other = try home.packCopy(named: "mien-other-1")
        let installed = try await home.mien("models", "install", other.path, "--json")
        #expect(installed.status == 0)
        #expect(
            try installed.json as? [String: String] == [
                "id": "mien-other-1",
                "folder": home.packs.appending(path: "mien-other-1").path + "/",
            ]
                || installed.json as? [String: String] == [
                    "id": "mien-other-1", "folder": home.packs.appending(path: "mien-other-1").path,
                ])
        #expect(
            try await home.mien("models", "install", other.path).status == 0,
            "the same pack was refused the second time")
        #expect(try await home.mien("models", "verify", "mien-other-1").status == 0)
        #expect(try await home.mien("models", "list").out.contains("mien-other-1"))

        let changed = try home.packCopy(named: "mien-other-1", titled: "another one")
        let refused = try await home.mien("models", "install", changed.path, "--json")
        #expect(
            try refused.status == 3 && refused.error.code == "pack.conflict"
                && refused.err.contains("--replace"))
        #expect(try await home.mien("models", "install", changed.path, "--replace").status == 0)
        #expect(try await home.mien("models", "list").out.contains("another one"))
    }

    @Test(.needsPack) func `an archive is installed only if its sha256 is the given one`()
        async throws
    {
        let home = try TemporaryHome(hasPack: false)
        let folder = try home.packCopy(named: "mien-archived-1")
        let archive = home.files.appending(path: "pack.tar.gz").path
        try await ProgramRun.output(
            of: "tar",
            [
                "-czf", archive, "-C", folder.deletingLastPathComponent().path,
                folder.lastPathComponent,
            ])
        let sha256 = try await String(
            ProgramRun.output(of: "sha256sum", [archive]).prefix(64))
        let wrong = String(repeating: "0", count: 64)
        let refused = try await home.mien("models", "install", archive, "--sha256", wrong, "--json")
        #expect(
            try refused.status == 3 && refused.error.code == "pack.damaged"
                && refused.err.contains(sha256))
        #expect(try await home.mien("models", "list", "--json").json["packs"] as? [String] == [])
        #expect(try await home.mien("models", "install", archive, "--sha256", sha256).status == 0)
        #expect(try await home.mien("models", "verify", "mien-archived-1").status == 0)
    }

    @Test(arguments: ["my-pakc", "my-pakc.tar.gz"]) func `a nonexistent path is bad input`(
        name: String
    ) async throws {
        let home = try TemporaryHome(hasPack: false)
        let missing = home.files.appending(path: name).path
        let result = try await home.mien("models", "install", missing, "--json")
        #expect(
            try result.status == 2 && result.error.code == "pack.not-found"
                && result.err.hasPrefix("mien: \(missing): "))
        #expect(result.err.contains("Check the path"))
    }

    @Test func `an invalid pack is not installed`() async throws {
        let home = try TemporaryHome(hasPack: false)
        let empty = try await home.mien("models", "install", home.files.path, "--json")
        #expect(try empty.status == 3 && empty.error.code == "pack.bad-manifest")
        let text = try home.write(Array("no archive".utf8), as: "pack.tar")
        let bad = try await home.mien("models", "install", text, "--json")
        #expect(
            try bad.status == 3 && bad.error.code == "pack.unavailable" && bad.err.contains(text))
    }

    @Test(.needsPack, arguments: ["descriptor.bin", "face_landmark.tflite", "cohort.bin"])
    func `no command uses a pack with one changed byte`(name: String) async throws {
        let home = try TemporaryHome(hasPack: false)
        let folder = try home.packCopy(named: "mien-basic-1")
        let file = folder.appending(path: name)
        var bytes = try Data(contentsOf: file)
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: file)
        let refused = try await home.mien("models", "install", folder.path, "--json")
        #expect(
            try refused.status == 3 && refused.error.code == "pack.damaged"
                && refused.err.contains(name))
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.packs.path).isEmpty)

        try FileManager.default.moveItem(
            at: folder, to: home.packs.appending(path: "mien-basic-1"))
        let verified = try await home.mien("models", "verify", "--json")
        let packs = try #require(try verified.json["packs"] as? [[String: Any]])
        let fault = try #require(packs.first?["fault"] as? [String: String])
        #expect(
            verified.status == 3 && packs.count == 1 && packs[0].keys.sorted() == ["fault", "id"]
                && verified.err.contains(name))
        #expect(fault["code"] == "pack.damaged" && fault["message"]?.contains(name) == true)
        let identified = try await home.mien(
            "face", "identify", home.files.appending(path: "none.jpg").path, "--json")
        #expect(try identified.status == 3 && identified.error.code == "pack.damaged")
        #expect(try await home.mien("doctor").status == 3)
    }

    @Test(.needsPack)
    func `a damaged pack does not hide the others, and reinstalling repairs it`()
        async throws
    {
        let home = try TemporaryHome()
        let folder = try home.packCopy(named: "a-damaged-1")
        #expect(try await home.mien("models", "install", folder.path).status == 0)
        try Data("x".utf8).write(to: home.packs.appending(path: "a-damaged-1/cohort.bin"))
        let verified = try await home.mien("models", "verify")
        #expect(
            verified.status == 3 && verified.out.contains("a-damaged-1: cannot be used.")
                && verified.out.contains("mien-basic-1: all 8 files"))
        #expect(verified.err.contains("cohort.bin"))
        #expect(try await home.mien("models", "install", folder.path).status == 0)
        #expect(try await home.mien("models", "verify").status == 0)
    }

    @Test(.needsPack) func `a manifest cannot control the terminal`() async throws {
        let home = try TemporaryHome(hasPack: false)
        let folder = try home.packCopy(
            named: "mien-evil-1", titled: "good\u{1B}]0;evil\u{7}\u{1B}[2J")
        let refused = try await home.mien("models", "install", folder.path, "--json")
        #expect(
            try refused.status == 3 && refused.error.code == "pack.bad-manifest"
                && refused.err.contains("control characters"))
        try FileManager.default.moveItem(at: folder, to: home.packs.appending(path: "mien-evil-1"))
        // The harness refuses any escape in the output.
        let list = try await home.mien("models", "list")
        #expect(list.status == 0 && list.out.contains("unusable"))
    }

    @Test func `an address over plain http requires a sha256, and its password is not repeated`()
        async throws
    {
        let home = try TemporaryHome(hasPack: false)
        let address = "http://ada:secret@127.0.0.1:9/pack.tar.gz?token=secret"
        let refused = try await home.mien("models", "install", address, "--json")
        #expect(
            try refused.status == 2 && refused.error.code == "pack.insecure"
                && refused.err.contains("--sha256"))
        let unreachable = try await home.mien(
            "models", "install", address, "--sha256", String(repeating: "0", count: 64), "--json")
        #expect(
            try unreachable.status == 3 && unreachable.error.code == "pack.unavailable"
                && unreachable.err.contains("127.0.0.1"))
        for result in [refused, unreachable] {
            #expect(!(result.out + result.err).contains("secret"))
        }
    }

    @Test(.needsPack) func `doctor names folders that other users can change`() async throws {
        let home = try TemporaryHome()
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o775], ofItemAtPath: home.packs.path)
        let result = try await home.mien("doctor")
        #expect(
            result.status == 3 && result.out.contains("private folders")
                && result.out.contains("chmod go-w \(home.packs.path)"))
    }

    @Test(.needsPack, arguments: ["face_landmark.tflite", "descriptor.bin"])
    func `doctor reports an intact pack whose network cannot run`(name: String) async throws {
        let home = try TemporaryHome(hasPack: false)
        let folder = try home.packCopy(named: "mien-broken-1")
        let file = folder.appending(path: name)
        let content = Data("not a network".utf8)
        try content.write(to: file)
        // Describe the changed file in the manifest.
        let manifestURL = folder.appending(path: "manifest.json")
        var manifest = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: manifestURL)) as? [String: Any])
        var files = try #require(manifest["files"] as? [[String: Any]])
        let index = try #require(files.firstIndex { $0["name"] as? String == name })
        files[index]["bytes"] = content.count
        files[index]["sha256"] = try await String(
            ProgramRun.output(of: "sha256sum", [file.path]).prefix(64))
        manifest["files"] = files
        try JSONSerialization.data(withJSONObject: manifest).write(to: manifestURL)

        #expect(try await home.mien("models", "install", folder.path).status == 0)
        let doctor = try await home.mien("doctor", "--pack", "mien-broken-1", "--json")
        let checks = try #require(try doctor.json["checks"] as? [[String: Any]])
        let failed = checks.filter { $0["ok"] as? Bool == false }.map { $0["name"] as? String }
        #expect(doctor.status == 3 && failed == ["face pipeline"], "\(doctor.out)")
    }

    @Test(.needsFaces)
    func `a template is compared with the pack that made it, and with no other`() async throws {
        let home = try TemporaryHome()
        try await home.mien("models", "install", home.packCopy(named: "mien-other-1").path)
        #expect(
            try await home.mien(
                "face", "enroll", "ada", home.photo("obama"), "--pack", "mien-other-1"
            ).status == 0)
        let found = try await home.mien("face", "verify", "ada", home.photo("obama2"))
        #expect(
            found.status == 0 && found.err.contains("comparing with mien-other-1")
                && found.err.contains("changes to mien-basic-1"), "\(found)")
        let verified = try await home.mien(
            "face", "verify", "ada", home.photo("obama2"), "--json", "--pack", "mien-basic-1")
        #expect(
            try verified.status == 2 && verified.error.code == "template.other-pack"
                && verified.err.contains("--pack mien-other-1"))
        let identified = try await home.mien("face", "identify", home.photo("obama2"))
        #expect(
            identified.status == 1 && identified.err.contains("another model pack")
                && identified.out.contains("none of the 0"))
        #expect(
            try await home.mien(
                "face", "verify", "ada", home.photo("obama2"), "--pack", "mien-other-1"
            ).status == 0)
    }
}

extension TemporaryHome {
    /// A folder with the default pack's files and another name and title in the manifest.
    func packCopy(named id: String, titled title: String? = nil) throws -> URL {
        let folder = files.appending(
            path: "\(UUID().uuidString)/\(id)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in try FileManager.default.contentsOfDirectory(atPath: Machine.pack.path)
        where !name.hasPrefix(".") && name != "manifest.json" {
            try FileManager.default.copyItem(
                at: Machine.pack.appending(path: name), to: folder.appending(path: name))
        }
        let data = try Data(contentsOf: Machine.pack.appending(path: "manifest.json"))
        var manifest = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        manifest["id"] = id
        if let title { manifest["title"] = title }
        try JSONSerialization.data(withJSONObject: manifest).write(
            to: folder.appending(path: "manifest.json"))
        return folder
    }
}
