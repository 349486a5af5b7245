internal import MienCore
internal import SystemTSS

/// An auth value as TPMs treat it: trailing zeros are ignored.
struct Auth: Sendable {
    /// The size of SHA-256, the name algorithm of all objects here.
    static let sizeRange = 1...32

    private let value: Sensitive<[UInt8]>

    init(_ value: Sensitive<[UInt8]>) throws(TPMError) {
        let stripped = value.use { value in
            Array(value.prefix(1 + (value.lastIndex { $0 != 0 } ?? -1)))
        }
        guard Self.sizeRange.contains(stripped.count) else {
            throw TPMError(
                .badArgument, "an auth value must have 1 to 32 bytes, not counting trailing zeros")
        }
        self.value = Sensitive(stripped)
    }

    /// Lends the value in the library's form and wipes it afterwards.
    func lend<T>(_ body: (inout TPM2B_AUTH) -> T) -> T {
        var auth = value.use { TPM2B_AUTH($0) }
        defer { wipe(&auth) }
        return body(&auth)
    }
}
