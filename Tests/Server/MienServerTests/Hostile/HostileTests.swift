import MienTesting
import Testing

/// Attacks on a running `mien serve`, one test each, named after the attacker's goal. Every one of
/// them fails to reach it.
@Suite("Hostile tests", .enabled(if: Installed.isThere, Installed.reason))
struct HostileTests {
    let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }
}
