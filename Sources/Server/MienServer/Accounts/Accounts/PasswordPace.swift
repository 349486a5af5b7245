internal import MienCore
internal import MienStore

/// The step at which refused passwords are answered: ``EvenPace``.
///
/// Hashes that another product made take longer to check than ours. As long as there are some, all
/// refusals wait for a step that is longer than the slowest of them, so that a stranger cannot tell
/// whose password was imported, and thereby who has an account.
final class PasswordPace: Sendable {
    private let store: Store
    private let passwords: PasswordService
    /// How long a refusal takes, by the setting of the hash.
    private let durations = Locked<[String: Duration]>([:])

    init(store: Store, passwords: PasswordService) {
        (self.store, self.passwords) = (store, passwords)
    }

    /// The step for the hashes that are stored now.
    func step() async throws -> Duration {
        let settings = try await store.read { try $0.authenticators.importedHashes() }
        var longest: Duration?
        for setting in settings {
            longest = max(longest ?? .zero, try await duration(setting))
        }
        return Self.step(longest: longest)
    }

    /// - Parameter longest: How long the slowest refusal takes; `nil` if no hash was imported.
    static func step(longest: Duration?) -> Duration {
        guard let longest else { return EvenPace.step }
        // Half as much again, for a server that is busy.
        return EvenPace.step * max(1, (longest * 1.5 / EvenPace.step).rounded(.up))
    }

    private func duration(_ setting: String) async throws -> Duration {
        if let known = durations.withLock({ $0[setting] }) { return known }
        let measured = try await passwords.durationOfRefusal(setting: setting)
        durations.withLock { $0[setting] = measured }
        return measured
    }
}
