import Foundation
import MienTesting
import Testing

/// `mien doctor` and `MIEN_INTEGRITY` under a real tracer and a real preloaded library.
@Suite struct IntegrityCommandTests {
    private static let strace = "/usr/bin/strace", compiler = "/usr/bin/cc"
    private static func isThere(_ path: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: path)
    }

    /// Returns the integrity checks of `mien doctor`, by name.
    private func doctor(
        _ home: TemporaryHome, under wrapper: [String] = [], _ settings: [String: String] = [:]
    ) async throws -> [String: (ok: Bool, detail: String)] {
        let result = try await home.mien(
            under: wrapper, ["doctor", "--json"], settings: settings)
        let checks = try #require(try result.json["checks"] as? [[String: Any]], "\(result)")
        return Dictionary(
            uniqueKeysWithValues: checks.compactMap { check in
                (check["name"] as? String).map {
                    ($0, (check["ok"] as? Bool ?? false, check["detail"] as? String ?? ""))
                }
            })
    }

    @Test func `an untraced process is reported as such`() async throws {
        let home = try TemporaryHome(hasPack: false), checks = try await doctor(home)
        #expect(checks["debugger"]?.ok == true && checks["preloaded libraries"]?.ok == true)
        #expect(checks["core dumps"] != nil && checks["swap"] != nil)
    }

    /// The greatest number of bytes that the shell may allow for core dumps.
    private static let dumpLimit: rlim_t = {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        return limit.rlim_max
    }()

    @Test(.enabled(if: dumpLimit > 0, "no process on this machine may dump core"))
    func `core dumps are reported as the process was started`() async throws {
        let home = try TemporaryHome(hasPack: false)
        func dumps(_ limit: String) async throws -> (ok: Bool, detail: String)? {
            try await doctor(
                home, under: ["/bin/sh", "-c", "ulimit -S -c \(limit) && exec \"$@\"", "sh"]
            )["core dumps"]
        }
        let allowed = try #require(try await dumps("\"$(ulimit -H -c)\""))
        #expect(!allowed.ok && allowed.detail.contains("ulimit -c 0"), "\(allowed)")
        // A program that receives dumps ignores the limit.
        let isPiped = try String(contentsOfFile: "/proc/sys/kernel/core_pattern", encoding: .utf8)
            .hasPrefix("|")
        #expect(try await dumps("0")?.ok == !isPiped)
    }

    @Test(.enabled(if: isThere(strace), "no strace on this machine"))
    func `a process that runs under a tracer is reported and refused`() async throws {
        let home = try TemporaryHome(hasPack: false)
        let tracer = [
            Self.strace, "-f", "-o", "/dev/null", "-e", "trace=none", "--seccomp-bpf",
        ]
        let checks = try await doctor(home, under: tracer)
        let debugger = try #require(checks["debugger"])
        #expect(!debugger.ok && debugger.detail.contains("(strace) traces this one"))
        let refused = try await home.mien(
            under: tracer, ["face", "pin", "--json"], settings: ["MIEN_INTEGRITY": "strict"],
            input: "4711\n")
        #expect(try refused.status == 3 && refused.error.code == "face.tampered", "\(refused)")
        let token = try await home.mien(
            under: tracer, ["token", "provision", "--json"], settings: ["MIEN_INTEGRITY": "strict"],
            input: "otc_code.none\n4711\n")
        #expect(try token.status == 3 && token.error.code == "token.tampered", "\(token)")
        let reported = try await home.mien(
            under: tracer, ["face", "pin", "--json"], settings: ["MIEN_INTEGRITY": "report"],
            input: "4711\n")
        #expect(reported.status == 0, "\(reported)")
    }

    @Test(.enabled(if: isThere(compiler), "no C compiler on this machine"))
    func `a preloaded library is found, even one that removes its variable`() async throws {
        let home = try TemporaryHome(hasPack: false)
        let source = home.files.appending(path: "hook.c"),
            library = home.files.appending(path: "hook.so")
        try Data(
            #"""
            #include <stdlib.h>
            __attribute__((constructor)) static void hide(void) { unsetenv("LD_PRELOAD"); }
            """#.utf8
        ).write(to: source)
        try await ProgramRun.output(
            of: Self.compiler, ["-shared", "-fPIC", "-o", library.path, source.path])

        let settings = ["LD_PRELOAD": library.path]
        let preload = try #require(try await doctor(home, settings)["preloaded libraries"])
        #expect(!preload.ok && preload.detail.contains("LD_PRELOAD"))
        let refused = try await home.mien(
            ["face", "pin", "--json"],
            settings: settings.merging(["MIEN_INTEGRITY": "strict"]) { $1 }, input: "4711\n")
        #expect(try refused.status == 3 && refused.error.code == "face.tampered", "\(refused)")
    }

    /// Whether a process has turned off its core dumps.
    private static func dumpsNoCore(_ process: Int32) throws -> Bool {
        try String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8).contains(
            #/Max core file size +0 +0/#)
    }

    @Test func `otp dumps no core when it reads a secret`() async throws {
        let home = try TemporaryHome(hasPack: false), input = Pipe(), process = Process()
        process.executableURL = MienProgram.url
        process.arguments = ["otp", "totp"]
        process.environment = home.environment(temporary: home.files, [:])
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let ends = try process.started()
        // The program waits for the secret.
        let deadline = ContinuousClock.now + .seconds(60)
        while try !Self.dumpsNoCore(process.processIdentifier), ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try Self.dumpsNoCore(process.processIdentifier))
        try input.fileHandleForWriting.write(
            contentsOf: Data("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ\n".utf8))
        try input.fileHandleForWriting.close()
        for await _ in ends {}
        #expect(process.terminationStatus == 0)
    }

    @Test(.needsPack) func `serve dumps no core`() async throws {
        let home = try TemporaryHome()
        try await ServerProcess.run(in: home) { server in
            let isOff = try Self.dumpsNoCore(server.process)
            #expect(isOff)
        }
    }

    @Test func `an unknown policy is refused by name`() async throws {
        let home = try TemporaryHome(hasPack: false)
        let result = try await home.mien(
            ["face", "pin", "--json"], settings: ["MIEN_INTEGRITY": "lax"], input: "4711\n")
        #expect(
            try result.status == 2 && result.error.code == "integrity.policy"
                && result.error.message.contains("report, strict"))
    }
}
