internal import CMienSystem
internal import Foundation
public import MienDevice

/// Looks for signs of debuggers and manipulation in this process, and closes the ways by which its
/// memory reaches a disk or another process of the same user.
public enum ProcessIntegrity {
    /// Returns a finding for each signal. Reads `/proc` and starts nothing.
    public static func inspect() -> [IntegrityFinding] {
        [debugger(), preload(), coreDumps(), swap()]
    }

    /// The measures of ``harden()`` that took effect.
    public struct Hardening: Sendable, Hashable {
        /// No core dumps; and no other process of the same user, without privileges, can attach a
        /// debugger or read this process's memory.
        public let isNotDumpable: Bool
        /// All memory is locked, so that none of it is swapped out.
        public let isLocked: Bool
    }

    /// Turns off core dumps and debuggers of the same user, and locks the memory if the limit for
    /// locked memory is unlimited (`ulimit -l unlimited`, `LimitMEMLOCK=infinity`). With a smaller
    /// limit, later allocations would fail.
    ///
    /// Call it at the start of a program, before secrets are read. It cannot be undone by the
    /// program's user. Debuggers of root, and one that has already attached, remain.
    @discardableResult
    public static func harden() -> Hardening {
        // Read the environment first: a process that cannot be dumped may no longer read its own
        // environment file.
        _ = initialEnvironment
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        let isNotDumpable = mien_process_forbid_dumps() == 0
        return Hardening(isNotDumpable: isNotDumpable, isLocked: mien_process_lock_memory() == 0)
    }

    // MARK: Debuggers

    private static func debugger() -> IntegrityFinding {
        guard let tracer = status("TracerPid").flatMap({ Int32($0) }) else {
            return IntegrityFinding(
                .debugger, isPresent: true,
                detail: "/proc/self/status cannot be read, so a debugger cannot be ruled out.")
        }
        guard tracer != 0 else {
            return IntegrityFinding(
                .debugger, isPresent: false, detail: "No process traces this one.")
        }
        let name = text("/proc/\(tracer)/comm").map { " (\($0.printableName))" } ?? ""
        return IntegrityFinding(
            .debugger, isPresent: true,
            detail: "Process \(tracer)\(name) traces this one. End it, and start again.")
    }

    // MARK: Foreign libraries

    /// Variables by which the dynamic loader adds code to a process.
    private static let loaderVariables = ["LD_PRELOAD", "LD_AUDIT"]

    /// The environment with which the process was started. A preloaded library may have removed its
    /// variable from the current one.
    private static let initialEnvironment: [String: String] = {
        guard let bytes = FileManager.default.contents(atPath: "/proc/self/environ") else {
            return [:]
        }
        return bytes.split(separator: 0).reduce(into: [:]) { all, entry in
            let parts = String(decoding: entry, as: UTF8.self).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { all[String(parts[0])] = String(parts[1]) }
        }
    }()

    private static func preload() -> IntegrityFinding {
        let now = ProcessInfo.processInfo.environment
        let variables = loaderVariables.filter { name in
            [now, initialEnvironment].contains { !($0[name] ?? "").isEmpty }
        }
        let file = "/etc/ld.so.preload"
        let isFilled =
            text(file).map { !$0.isEmpty } ?? FileManager.default.fileExists(atPath: file)
        guard !variables.isEmpty || isFilled else {
            return IntegrityFinding(
                .preload, isPresent: false, detail: "The loader was told to add no library.")
        }
        let places = variables.map { "the variable \($0)" } + (isFilled ? [file] : [])
        return IntegrityFinding(
            .preload, isPresent: true,
            detail:
                "The loader adds libraries to this process: \(places.joined(separator: ", ")). Start it without them."
        )
    }

    // MARK: Core dumps

    private static func coreDumps() -> IntegrityFinding {
        guard mien_process_dumpable() != 0 else {
            return IntegrityFinding(
                .coreDumps, isPresent: false, detail: "This process cannot be dumped.")
        }
        var limit = rlimit()
        _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        // The limit does not hold for a program that receives dumps.
        let isPiped = text("/proc/sys/kernel/core_pattern")?.hasPrefix("|") ?? false
        guard limit.rlim_cur > 0 || isPiped else {
            return IntegrityFinding(
                .coreDumps, isPresent: false, detail: "The limit for core dumps is 0.")
        }
        return IntegrityFinding(
            .coreDumps, isPresent: true,
            detail:
                "A crash may write secrets to a core dump. Run: ulimit -c 0, or harden the process."
        )
    }

    // MARK: Swap

    private static func swap() -> IntegrityFinding {
        // The first line is the heading.
        let spaces = (text("/proc/swaps") ?? "").split(separator: "\n").dropFirst()
        guard !spaces.isEmpty else {
            return IntegrityFinding(
                .swap, isPresent: false, detail: "This machine has no swap space.")
        }
        func kilobytes(_ field: String) -> Int {
            status(field).flatMap { $0.split(separator: " ").first }.flatMap { Int($0) } ?? 0
        }
        let locked = kilobytes("VmLck"), resident = kilobytes("VmRSS")
        guard locked == 0 || locked < resident else {
            return IntegrityFinding(.swap, isPresent: false, detail: "All memory is locked.")
        }
        return IntegrityFinding(
            .swap, isPresent: true,
            detail:
                "Secrets may be written to the swap space. Encrypt it, or allow locked memory (ulimit -l unlimited) and harden the process."
        )
    }

    // MARK: /proc

    /// Returns a field of `/proc/self/status`.
    private static func status(_ field: String) -> String? {
        text("/proc/self/status")?.split(separator: "\n").first { $0.hasPrefix("\(field):") }?
            .dropFirst(field.count + 1).trimmingCharacters(in: .whitespaces)
    }

    private static func text(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map {
            String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }
}

extension String {
    /// The name of a process, which its user chooses, without characters that could forge output.
    fileprivate var printableName: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.prefix(32).filter { (32..<127).contains($0.value) }))
    }
}
