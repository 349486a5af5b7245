import MienTesting
import Testing

/// Attacks on a running `mien serve`. Each test is named after the attacker's goal, and shows that
/// the attacker does not reach it.
@Suite("Hostile tests", .enabled(if: Installed.isThere, Installed.reason))
struct HostileTests {
    let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }
}
