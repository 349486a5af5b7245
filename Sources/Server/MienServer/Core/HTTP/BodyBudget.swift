internal import NIOCore
internal import Synchronization

/// Limits the memory that the large bodies of all requests hold together, and the part of it that
/// one network holds: an IPv4 address, or an IPv6 /48.
///
/// The first ``free`` bytes of a body do not count, so a client that fills the budget with pictures
/// keeps nobody from signing in.
package final class BodyBudget: Sendable {
    static let free = 16 * 1024
    /// Enough for 8 pictures of the largest size, or 1,300 of the usual size.
    static let standard = 128 * 1024 * 1024
    /// A network may hold this part of what the others leave: alone a quarter of all, and the less
    /// the more networks fill the budget. Ten of them leave 5 %; about 26 leave too little for a
    /// picture.
    static let part = 4

    private struct State {
        var used = 0
        var byNetwork: [String: Int] = [:]
        /// The large body that each token is receiving.
        var bodies: [String: InFlight] = [:]
    }

    private let maxBytes: Int
    private let state = Mutex(State())

    package init(maxBytes: Int = standard) { self.maxBytes = maxBytes }

    /// A large body that is being received for a token.
    fileprivate final class InFlight: Sendable {
        private let channel: (any Channel)?
        private let isOver = Atomic(false)

        init(_ channel: (any Channel)?) { self.channel = channel }

        var isReplaced: Bool { isOver.load(ordering: .relaxed) }

        /// Ends the request, also while its client sends nothing.
        func replace() {
            isOver.store(true, ordering: .relaxed)
            channel?.close(promise: nil)
        }
    }

    /// The memory that one body holds. It is returned to the budget when the share is deallocated.
    package final class Share {
        private let budget: BodyBudget
        private let network: String
        private let token: String?
        private let channel: (any Channel)?
        private var inFlight: InFlight?
        private var bytes = 0
        private var counted = 0

        fileprivate init(
            _ budget: BodyBudget, _ network: String, _ token: String?, _ channel: (any Channel)?
        ) {
            (self.budget, self.network, self.token, self.channel) = (
                budget, network, token, channel
            )
        }

        deinit {
            received()
            budget.give(back: counted, of: network)
        }

        /// - Throws: ``ServerBusy`` if the budget is used up, or the network's part of it;
        ///   `CancellationError` if another body of the same token came later.
        func take(_ more: Int) throws {
            if inFlight?.isReplaced == true { throw CancellationError() }
            let needed = max(0, bytes + more - free) - counted
            if needed > 0 {
                if let token, inFlight == nil { inFlight = budget.begin(token, channel) }
                guard budget.take(needed, for: network) else { throw ServerBusy() }
                counted += needed
            }
            bytes += more
        }

        /// Says that the whole body has arrived: a later one of its token no longer ends it.
        func received() {
            if let token, let inFlight { budget.end(token, inFlight) }
            inFlight = nil
        }
    }

    /// - Parameter token: A name of the token that sends the body, if a token may have only one large
    ///   body in flight. A later one ends the earlier one: it is the same client, whose
    ///   connection broke, or one that wants to hold memory.
    package func share(for token: String? = nil) -> Share {
        let origin = RequestOrigin.current
        return share(for: token, of: origin.network, origin.channel)
    }

    func share(for token: String?, of network: String, _ channel: (any Channel)? = nil) -> Share {
        Share(self, network, token, channel)
    }

    private func begin(_ token: String, _ channel: (any Channel)?) -> InFlight {
        let body = InFlight(channel)
        state.withLock { $0.bodies.updateValue(body, forKey: token) }?.replace()
        return body
    }

    private func end(_ token: String, _ body: InFlight) {
        state.withLock { if $0.bodies[token] === body { $0.bodies[token] = nil } }
    }

    private func take(_ bytes: Int, for network: String) -> Bool {
        state.withLock { state in
            let own = state.byNetwork[network] ?? 0, others = state.used - own
            guard own + bytes <= (maxBytes - others) / Self.part else { return false }
            state.used += bytes
            state.byNetwork[network] = own + bytes
            return true
        }
    }

    private func give(back bytes: Int, of network: String) {
        guard bytes > 0 else { return }
        state.withLock { state in
            state.used -= bytes
            let left = (state.byNetwork[network] ?? 0) - bytes
            state.byNetwork[network] = left > 0 ? left : nil
        }
    }
}
