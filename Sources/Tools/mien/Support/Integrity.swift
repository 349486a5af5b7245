import Foundation
import MienDevice
import MienDeviceLinux
import MienTools

/// The response of commands that handle secrets to debuggers and manipulation.
enum Integrity {
    static let variable = "MIEN_INTEGRITY"

    /// Hardens the process, and returns the policy of `$MIEN_INTEGRITY`: `report`, the default, or
    /// `strict`.
    static func policy() throws -> IntegrityPolicy {
        ProcessIntegrity.harden()
        switch ProcessInfo.processInfo.environment[variable] ?? "" {
        case "", "report": return .report
        case "strict": return .strict
        case let other:
            throw Failure(
                .badInput, "integrity.policy",
                "\(variable) must be one of report, strict, not “\(other)”")
        }
    }
}

extension IntegritySignal {
    /// The name of the check of `mien doctor`.
    var words: String {
        switch self {
        case .debugger: "debugger"
        case .preload: "preloaded libraries"
        case .coreDumps: "core dumps"
        case .swap: "swap"
        }
    }
}
