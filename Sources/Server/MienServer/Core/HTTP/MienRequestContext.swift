package import Hummingbird
internal import Logging
package import MienAPI
package import MienCore
internal import NIOCore

/// The context of a request to the server.
package struct MienRequestContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// Identifies the request in its response and in the log.
    package private(set) var id: String
    /// The facts about the request that the log shows.
    package let facts = RequestFacts()
    /// The origin of the request: the other end of the connection, or what ``ClientMiddleware``
    /// found.
    package var client: ClientAddress
    /// The connection.
    let channel: any Channel
    /// The proof of who the administrator is, once it is checked.
    package var administratorProof: AdministratorProof?

    package enum AdministratorProof: Sendable {
        case credential(AdminID)
        /// The cookie of a session of the portal.
        case session(AdministratorSession)
    }

    package var administrator: AdminID? {
        switch administratorProof {
        case .credential(let id): id
        case .session(let session): session.admin
        case nil: nil
        }
    }

    package var administratorSession: AdministratorSession? {
        if case .session(let session) = administratorProof { session } else { nil }
    }

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        id = RequestIdentity.made()
        client = source.channel.remoteAddress?.ipAddress.flatMap { ClientAddress($0) } ?? .unknown
        // The log names it once, under our own key.
        logger[metadataKey: "hb.request.id"] = nil
        logger[metadataKey: RequestIdentity.key] = .string(id)
    }

    /// A context for a request that a page of the server makes while it answers this one.
    package func inner() -> MienRequestContext {
        var inner = MienRequestContext(
            source: ApplicationRequestContextSource(channel: channel, logger: logger))
        inner.client = client
        return inner
    }

    /// Takes the ID that the client gave the request.
    mutating func take(id given: String) {
        id = given
        logger[metadataKey: RequestIdentity.key] = .string(given)
    }
}
