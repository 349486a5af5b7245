internal import Foundation
internal import MienDevice

/// The identifier of this system installation: systemd's machine id. It is not secret, but should
/// not be disclosed either.
enum MachineID {
    static let path = "/etc/machine-id"

    /// - Throws: `FaceAuthError` `.bindingUnavailable`.
    static func read(_ path: String = path) throws(FaceAuthError) -> [UInt8] {
        let text =
            (try? String(contentsOfFile: path, encoding: .utf8))?.trimmingCharacters(
                in: .whitespacesAndNewlines) ?? ""
        guard text.utf8.count == 32,
            text.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
        else {
            throw FaceAuthError(
                .bindingUnavailable,
                "\(path) contains no machine id (32 hexadecimal digits). Create one with systemd-machine-id-setup. "
                    + "Data bound to a TPM does not need one; a license does."
            )
        }
        return Array(text.utf8)
    }
}
