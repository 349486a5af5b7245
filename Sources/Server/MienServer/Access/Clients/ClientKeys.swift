package import MienAPI
internal import MienCore
internal import MienKeys
internal import MienStore
internal import Synchronization

/// The keys with which apps sign what they send: `jwks` and `jwks_uri` of their settings.
///
/// Sets of addresses are kept for a few minutes. A message by a key that is not in the set fetches it
/// again, so that an app may change its keys at any time, but not more than once in a while.
package final class ClientKeys: Sendable {
    private static let lifetime = Duration.seconds(300)
    /// The shortest time between two requests to one address.
    private static let pause = Duration.seconds(15)
    private static let patience = Duration.seconds(5)
    private static let maxKept = 1000

    private struct Kept: Sendable {
        /// The last answer; `nil` if there was none.
        var set: ClientKeySet?
        let at: Instant
        /// The request under way, for which all wait who need it.
        var request: Task<ClientKeySet?, Never>?
    }

    private let fetch: @Sendable (_ url: String) async -> JSONValue?
    private let signatures: SignatureQueue
    private let clock: ServerClock
    private let kept = Mutex<[String: Kept]>([:])

    package init(caller: WebhookCaller, signatures: SignatureQueue, clock: ServerClock) {
        fetch = { url in
            await caller.get(url, upTo: ClientKeySet.maxBytes, within: Self.patience)
        }
        (self.signatures, self.clock) = (signatures, clock)
    }

    /// Why a message is not one of the app's. Repeats no part of it.
    struct Refused: Error {
        let reason: String
    }

    /// A message of an app whose signature was verified.
    struct Message: Sendable {
        /// `typ`
        let type: String?
        let claims: [String: JSONValue]
    }

    /// Reads a message that an app has signed.
    ///
    /// - Parameter algorithms: Those that the app may use.
    func message(
        _ text: String, of app: AppRecord, by algorithms: Set<DeviceKeyAlgorithm>
    ) async throws -> Message {
        let message: JWS
        do throws(JWSError) { message = try JWS.parse(compact: text) } catch {
            throw Refused(reason: error.reason)
        }
        guard algorithms.contains(message.algorithm) else {
            let allowed = algorithms.map(\.rawValue).sorted().joined(separator: ", ")
            throw Refused(reason: "alg must be one of \(allowed)")
        }
        for key in try await candidates(for: message, of: app) {
            let read = try await signatures.check(with: key, for: .stranger()) {
                try? message.verify(with: key)
            }
            guard let read else { continue }
            guard let claims = (try? JSONText.parse(read.payload))?.objectValue else {
                throw Refused(reason: "the payload must be a JSON object with unique members")
            }
            return Message(type: read.type, claims: claims)
        }
        throw Refused(reason: "no key of the app has made this signature")
    }

    private func candidates(for message: JWS, of app: AppRecord) async throws -> [DevicePublicKey] {
        if let own = app.settings.jwks {
            return (try? ClientKeySet(own))?.candidates(for: message) ?? []
        }
        guard let url = app.settings.jwksURI else {
            throw Refused(reason: "the app has no keys: set jwks or jwks_uri in its settings")
        }
        let now = clock.now, known = kept.withLock { $0[url] }
        if let known, known.request == nil, now < known.at + Self.lifetime {
            let found = known.set?.candidates(for: message) ?? []
            if !found.isEmpty || now < known.at + Self.pause { return found }
        }
        return await fetched(url, at: now)?.candidates(for: message) ?? []
    }

    /// Asks an address for its keys. One that does not answer leaves them as they were.
    private func fetched(_ url: String, at now: Instant) async -> ClientKeySet? {
        let request = kept.withLock { kept in
            if let request = kept[url]?.request { return request }
            let known = kept[url]?.set
            let request = Task { [fetch] in
                await fetch(url).flatMap { try? ClientKeySet($0) } ?? known
            }
            if kept.count >= Self.maxKept { kept = [:] }
            kept[url] = Kept(set: known, at: now, request: request)
            return request
        }
        let set = await request.value
        kept.withLock { $0[url] = Kept(set: set, at: now) }
        return set
    }
}

extension AppSettings {
    /// The reason the keys in `jwks` are unusable; `nil` if they are usable, or there are none.
    package var jwksFault: String? {
        guard let jwks else { return nil }
        do throws(ClientKeySet.Invalid) { _ = try ClientKeySet(jwks) } catch { return error.reason }
        return nil
    }

    /// The algorithms with which the app may sign what it sends.
    var signatureAlgorithms: Set<DeviceKeyAlgorithm> {
        switch profile {
        // FAPI 2.0 Security Profile §5.4.1.
        case .fapi2: [.es256, .edDSA]
        case nil: Set(DeviceKeyAlgorithm.allCases)
        }
    }
}
