import Foundation
import MienAPI
import MienClient
import MienCore
import MienFace
import MienTesting
import Synchronization

/// One of the clients that write while the server is killed.
///
/// Each client has at most one write in flight. After the restart, it checks every acknowledged
/// write. For the write in flight, it determines whether the server completed it. Completed and not
/// started are both correct; anything in between is not.
actor KillClient {
    enum Resolution: Sendable {
        case done, notDone
        case torn(String)
    }

    /// The server refused a request that it should have accepted.
    struct Refused: Error, CustomStringConvertible {
        let description: String
        init(_ what: String, _ answer: Any) { description = "\(what): \(answer)" }
    }

    /// - Returns: The problem, or `nil` if the write is as acknowledged.
    typealias Check = @Sendable (AttackedServer) async throws -> String?
    typealias Resolve = @Sendable (AttackedServer) async throws -> Resolution

    let number: Int
    private(set) var tallies: [String: KillTally] = [:]
    private var pending: (kind: String, resolve: Resolve)?
    /// By subject: a later write to the same subject replaces an earlier one.
    private var acknowledged: [String: (kind: String, check: Check)] = [:]
    private var generator: SeededGenerator
    private var counter = 0

    init(_ number: Int) {
        self.number = number
        generator = TestSeed.generator(UInt64(700 + number))
    }

    /// Returns a name that nothing else has.
    func fresh(_ prefix: String) -> String {
        counter += 1
        return "\(prefix)\(number)x\(counter)"
    }

    func chance() -> Bool { Bool.random(using: &generator) }

    /// Performs one write.
    ///
    /// - Parameters:
    ///   - kind: The row of the table.
    ///   - key: The subject of the write.
    ///   - resolve: Determines, after a kill, whether the write was completed.
    ///   - body: Sends the write, and returns how to check it later.
    func write(
        _ kind: String, _ key: String, _ resolve: @escaping Resolve,
        by body: () async throws -> Check
    ) async throws {
        pending = (kind, resolve)
        let check = try await body()
        pending = nil
        tallies[kind, default: KillTally()].acknowledged += 1
        acknowledged[key] = (kind, check)
    }

    /// Writes until the server is killed.
    ///
    /// - Parameter first: A kind that was prepared, and would rarely have its turn.
    func run(_ kinds: [KillKind], first: KillKind? = nil, at server: AttackedServer) async {
        var order = kinds.shuffled(using: &generator)
        if let first { order.append(first) }
        while true {
            if order.isEmpty { order = kinds.shuffled(using: &generator) }
            do { try await order.removeLast()(self, server) } catch {
                // A ``Refused`` error comes from a live server. Any other error is expected once
                // the server is dead.
                if !(error is Refused) {
                    for _ in 0..<200 where server.process.isRunning {
                        try? await Task.sleep(for: .milliseconds(10))
                    }
                    if !server.process.isRunning { return }
                }
                tallies[pending?.kind ?? "preparing", default: KillTally()].lost.append(
                    "client \(number): \(error)")
                pending = nil
                return
            }
        }
    }

    /// After a restart: resolves the write in flight, and checks everything acknowledged since the
    /// previous restart.
    func settle(_ server: AttackedServer) async throws {
        if let (kind, resolve) = pending {
            pending = nil
            switch try await resolve(server) {
            case .done: tallies[kind, default: KillTally()].done += 1
            case .notDone: tallies[kind, default: KillTally()].notDone += 1
            case .torn(let what): tallies[kind, default: KillTally()].torn.append(what)
            }
        }
        let all = acknowledged
        acknowledged = [:]
        for (key, entry) in all {
            let fault = try await entry.check(server)
            tallies[entry.kind, default: KillTally()].checked += 1
            if let fault {
                tallies[entry.kind, default: KillTally()].lost.append("\(key): \(fault)")
            }
        }
    }
}

/// A value shared by checks and later writes.
final class KillState<Value: Sendable>: Sendable {
    private let state: Mutex<Value>
    init(_ value: Value) { state = Mutex(value) }
    var value: Value {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
