package import MienCore
internal import NIOCore

/// The client whose request the current task handles.
///
/// A task-local value: the queues that need it lie below services that do not, and a service that
/// forgot to pass it on would silently put all clients into one share. ``ClientMiddleware`` sets it
/// for every request.
struct RequestOrigin: Sendable {
    /// ``ClientAddress/key``; empty outside a request.
    let address: String
    /// ``ClientAddress/network``; empty outside a request.
    let network: String
    let channel: (any Channel)?
    /// The facts about the request that the log shows.
    var facts = RequestFacts()

    @TaskLocal static var current = RequestOrigin(address: "", network: "", channel: nil)
}

extension WorkShare {
    /// The share of an unauthenticated client.
    ///
    /// - Parameter name: The account that the client names, hashed if it is personal.
    package static func stranger(naming name: String = "") -> WorkShare {
        .address(RequestOrigin.current.address, naming: name)
    }

    /// The share of a client that acts for this account with a valid credential.
    package static func signedIn(_ account: UserID) -> WorkShare {
        .account(account.text, from: RequestOrigin.current.address)
    }

    /// The share of a device that this account has signed in on.
    package static func device(_ device: DeviceID, of account: UserID) -> WorkShare {
        .knownDevice(device.text, of: account.text)
    }
}

/// The network of the client whose request the current task handles.
package enum RequestNetwork {
    /// ``ClientAddress/network``; empty outside a request, and if the address is unknown.
    package static var key: String { RequestOrigin.current.network }
}
