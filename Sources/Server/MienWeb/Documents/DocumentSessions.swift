package import MienCore

/// The verification sessions behind the document page. The page's script calls the same routes as an
/// app's page; this is what it takes to open one by a link and to end it.
package protocol DocumentSessions: Sendable {
    /// Uses the code of a link up.
    ///
    /// - Returns: `nil` if the code is unknown, used, or expired.
    func open(_ code: String) async throws -> DocumentSession?
    /// - Returns: `nil` if there is no such session, or if what it held is erased.
    func find(startToken: String) async throws -> DocumentSession?
    /// Cancels a session. One that has ended stays as it is.
    func cancel(startToken: String) async throws
}

/// A verification session as a page needs it.
package struct DocumentSession: Sendable {
    package let id: String
    package let startToken: String
    package let app: AppID
    /// Whether it waits for its person.
    package let isOpen: Bool

    package init(id: String, startToken: String, app: AppID, isOpen: Bool) {
        (self.id, self.startToken, self.app, self.isOpen) = (id, startToken, app, isOpen)
    }
}

/// Hides the start token.
extension DocumentSession: CustomStringConvertible, CustomReflectable {
    package var description: String { "session \(id)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
