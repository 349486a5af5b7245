public import MienCore
internal import MienHardware

/// The passphrase of a backup. Somebody who has the backup can guess as fast as their machines can
/// stretch passphrases, so short ones are refused.
public struct BackupPassphrase: Sendable {
    public static let minCharacters = 12

    private let text: Sensitive<String>

    /// - Returns: `nil` if it has fewer than ``minCharacters`` characters.
    public init?(_ text: Sensitive<String>) {
        guard text.use({ $0.count }) >= Self.minCharacters else { return nil }
        self.text = text
    }

    func key(_ stretching: BackupManifest.Stretching) throws(BackupError) -> BackupKey {
        let hasher = PasswordHasher(
            cost: .init(
                memory: stretching.memory, passes: stretching.passes, lanes: stretching.lanes))
        do { return BackupKey(try hasher.stretched(text, salt: stretching.salt)) } catch {
            throw BackupError(
                .passphrase,
                "stretching the passphrase needs \(stretching.memory / 1024) MiB of memory, which are not free"
            )
        }
    }
}
