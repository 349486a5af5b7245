import MienCore
import Synchronization

/// How often messages fail, in percent.
public struct NetworkFaults: Sendable {
    public var lostRequest = 0
    /// The request arrives twice, as when a proxy repeats it.
    public var doubled = 0
    public var lostResponse = 0
    /// The longest time on the way, in milliseconds. Messages overtake each other.
    public var delay = 0

    public init(lostRequest: Int = 0, doubled: Int = 0, lostResponse: Int = 0, delay: Int = 0) {
        (self.lostRequest, self.doubled) = (lostRequest, doubled)
        (self.lostResponse, self.delay) = (lostResponse, delay)
    }
}

/// The way from clients to servers.
public struct SimulatedNetwork: Sendable {
    let world: SimulatedWorld
    let faults: NetworkFaults
    /// How long a client waits for a response, in milliseconds.
    static let patience: Int64 = 400

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - server: the process that runs when the request arrives; `nil` if none does.
    ///   - repeated: called before a second copy is sent, which may take effect as well.
    ///   - handle: what the server does. An error is a response with status 5xx.
    /// - Returns: the response; `nil` if the client learned nothing.
    public func request<Output: Sendable>(
        to server: @escaping @Sendable () -> Incarnation?, repeated: () -> Void,
        _ handle: @escaping @Sendable () async throws -> Output
    ) async -> Output? {
        let answer = Answer<Output>()
        if !world.happens(faults.lostRequest) { deliver(to: server, answer, handle) }
        if world.happens(faults.doubled) {
            repeated()
            deliver(to: server, answer, handle)
        }
        return await withUnsafeContinuation { continuation in
            answer.wait(continuation)
            world.start { [world] in
                await world.pause(Self.patience)
                answer.settle(nil)
            }
        }
    }

    private func deliver<Output: Sendable>(
        to server: @escaping @Sendable () -> Incarnation?, _ answer: Answer<Output>,
        _ handle: @escaping @Sendable () async throws -> Output
    ) {
        world.start { [world, faults] in
            await world.pause(Int64(world.random(0...faults.delay)))
            guard let process = server(), !process.isDead else { return answer.settle(nil) }
            let result = try? await Incarnation.$current.withValue(process) { try await handle() }
            await world.pause(Int64(world.random(0...faults.delay)))
            // The connection of a killed process breaks.
            guard !process.isDead, !world.happens(faults.lostResponse) else {
                return answer.settle(nil)
            }
            answer.settle(result)
        }
    }
}

/// The first of several answers.
private final class Answer<Output: Sendable>: Sendable {
    private struct State {
        var isSettled = false
        var result: Output?
        var waiting: UnsafeContinuation<Output?, Never>?
    }

    private let state = Mutex(State())

    func wait(_ continuation: UnsafeContinuation<Output?, Never>) {
        let settled: (Bool, Output?) = state.withLock { state in
            if !state.isSettled { state.waiting = continuation }
            return (state.isSettled, state.result)
        }
        if settled.0 { continuation.resume(returning: settled.1) }
    }

    func settle(_ result: Output?) {
        let waiting = state.withLock { state -> UnsafeContinuation<Output?, Never>? in
            if state.isSettled { return nil }
            state.isSettled = true
            state.result = result
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: result)
    }
}
