#if canImport(MienTPM)
internal import Foundation

/// What tells this installation of the system from all others: systemd's machine id. Not secret,
/// and not to be told to anybody either.
enum MachineID {
    static let path = "/etc/machine-id"

    /// - Throws: ``FaceAuthError`` `.bindingUnavailable`.
    static func read(_ path: String = path) throws(FaceAuthError) -> [UInt8] {
        let text =
            (try? String(contentsOfFile: path, encoding: .utf8))?.trimmingCharacters(
                in: .whitespacesAndNewlines) ?? ""
        guard text.utf8.count == 32,
            text.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
        else {
            throw FaceAuthError(
                .bindingUnavailable,
                "\(path) holds no machine id (32 hexadecimal digits). systemd-machine-id-setup makes one. "
                    + "Data bound to a TPM does without, a licence does not."
            )
        }
        return Array(text.utf8)
    }
}
#endif
