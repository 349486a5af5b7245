internal import MienCore
internal import SystemTSS

/// An auth value as TPMs count it: trailing zeros do not.
struct Auth: Sendable {
    /// SHA-256's, the name algorithm of all objects here.
    static let sizeRange = 1...32

    private let value: Sensitive<[UInt8]>

    init(_ value: Sensitive<[UInt8]>) throws(TPMError) {
        let stripped = value.use { value in
            Array(value.prefix(1 + (value.lastIndex { $0 != 0 } ?? -1)))
        }
        guard Self.sizeRange.contains(stripped.count) else {
            throw TPMError(
                .badArgument, "an auth value is 1 to 32 bytes, not counting zeros at its end")
        }
        self.value = Sensitive(stripped)
    }

    /// Lends it in the library's form, wiped afterwards.
    func lend<T>(_ body: (inout TPM2B_AUTH) -> T) -> T {
        var auth = value.use { TPM2B_AUTH($0) }
        defer { wipe(&auth) }
        return body(&auth)
    }
}
