internal import MienAPI
internal import MienCore
internal import MienStore

/// Makes the record of an authenticator app from a secret that another product registered.
///
/// One-time codes are a feature of their own, so it is passed in.
struct ImportedAuthenticators: Sendable {
    /// An authenticator app, before it belongs to an account.
    struct App: Sendable {
        let content: Sensitive<[UInt8]>
        let info: [String: JSONValue]
        /// The first counter whose code is valid.
        let position: Int64

        init(content: [UInt8], info: [String: JSONValue], position: Int64) {
            (self.content, self.info, self.position) = (Sensitive(content), info, position)
        }
    }

    /// Reads a URI or a base32 secret.
    let read: @Sendable (String) throws(ImportFault) -> App
    /// A name for the registration that did not take place here.
    let registration: @Sendable () -> String

    init(
        read: @escaping @Sendable (String) throws(ImportFault) -> App,
        registration: @escaping @Sendable () -> String
    ) {
        (self.read, self.registration) = (read, registration)
    }
}
