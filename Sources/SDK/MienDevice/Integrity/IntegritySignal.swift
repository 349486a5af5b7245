/// A sign that this process is watched or manipulated, or that its memory may reach a disk.
///
/// Signals are hints, not proofs: code that is already inside the process can hide them all. See
/// docs/face-service.md, "Integrity", for what they cannot stop.
public enum IntegritySignal: String, Sendable, CaseIterable, Codable {
    /// Another process traces this one, as debuggers do (`ptrace`).
    case debugger
    /// The dynamic loader put foreign libraries into this process: `LD_PRELOAD`, `LD_AUDIT`, or
    /// `/etc/ld.so.preload`.
    case preload
    /// A crash may write this process's memory, with secrets, to a file.
    case coreDumps = "core_dumps"
    /// The system may write this process's memory, with secrets, to its swap space.
    case swap
}

/// The present state of one signal.
public struct IntegrityFinding: Sendable, Hashable, Codable {
    public let signal: IntegritySignal
    /// Whether the sign is there.
    public let isPresent: Bool
    /// The finding, and how to prevent it. Contains process numbers and paths, but no secret.
    public let detail: String

    public init(_ signal: IntegritySignal, isPresent: Bool, detail: String) {
        (self.signal, self.isPresent, self.detail) = (signal, isPresent, detail)
    }
}

/// The signals with which an app refuses to work. A refusal is an error, ``FaceAuthError``
/// `.tampered`; the process is never ended.
public struct IntegrityPolicy: Sendable {
    public let refused: Set<IntegritySignal>
    private let inspect: @Sendable () -> [IntegrityFinding]

    /// Refuses nothing.
    public static let report = IntegrityPolicy(refusing: [], inspect: { [] })

    package init(
        refusing refused: Set<IntegritySignal>,
        inspect: @escaping @Sendable () -> [IntegrityFinding]
    ) {
        (self.refused, self.inspect) = (refused, inspect)
    }

    /// Looks again, since a debugger may attach at any time.
    ///
    /// - Throws: ``FaceAuthError`` `.tampered`, with the signals that are present and refused.
    public func check() throws(FaceAuthError) {
        guard !refused.isEmpty else { return }
        let found = inspect().filter { $0.isPresent && refused.contains($0.signal) }
        guard found.isEmpty else {
            throw FaceAuthError(
                .tampered,
                "The integrity policy refuses to continue. "
                    + found.map(\.detail).joined(separator: " "))
        }
    }
}
