/// Protects the keys in a server's file with a key that is kept elsewhere, so that the file alone
/// opens nothing.
public protocol KeyWrapper: Sendable {
    /// The kind, as the file names it: lower-case letters and digits, such as `pkcs11`.
    var kind: String { get }

    /// Wraps a secret of 32 bytes.
    ///
    /// - Parameter context: bytes that must be the same when it is unwrapped.
    /// - Throws: ``KeyWrapperError``
    func wrap(_ secret: [UInt8], context: [UInt8], random: RandomSource) throws(KeyWrapperError)
        -> [UInt8]

    /// - Throws: ``KeyWrapperError``, also for bytes that another key wrapped, or that were changed.
    func unwrap(_ bytes: [UInt8], context: [UInt8]) throws(KeyWrapperError) -> [UInt8]
}

/// A key that is kept elsewhere and cannot be used.
public struct KeyWrapperError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A stable code for logs and scripts, such as `pkcs11.pin`.
    public let code: String
    /// Says what is wrong and what to do. Contains no secret.
    public let reason: String

    public init(code: String, reason: String) { (self.code, self.reason) = (code, reason) }

    public var description: String { "\(code): \(reason)" }
}
