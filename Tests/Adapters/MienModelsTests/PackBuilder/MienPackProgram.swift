import Foundation
import MienTesting

/// The commands `mien pack …`, as built with the tests.
enum MienPackProgram {
    static func run(_ arguments: [String]) async throws -> ProgramRun {
        try await ProgramRun.run(
            ProgramRun.builtProgram("mien"), ["pack"] + arguments,
            environment: ProcessInfo.processInfo.environment)
    }
}
