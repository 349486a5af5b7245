import Foundation
import MienAPI
import MienClient
import MienCore
import MienFace
import MienTesting
import Synchronization

/// One of the clients that write while the server is killed.
///
/// It has one write under way at a time. What was acknowledged it looks for after the restart; of
/// the write whose answer never came it finds out whether it was done. Both answers are right,
/// anything between them is not.
actor KillClient {
    enum Resolution: Sendable {
        case done, notDone
        case torn(String)
    }

    /// The server answered, and refused what it should not have refused.
    struct Refused: Error, CustomStringConvertible {
        let description: String
        init(_ what: String, _ answer: Any) { description = "\(what): \(answer)" }
    }

    /// - Returns: what is wrong; `nil` when it is as acknowledged.
    typealias Check = @Sendable (AttackedServer) async throws -> String?
    typealias Resolve = @Sendable (AttackedServer) async throws -> Resolution

    let number: Int
    private(set) var tallies: [String: KillTally] = [:]
    private var pending: (kind: String, resolve: Resolve)?
    /// By what they are about: a later write to the same thing takes the place of an earlier one.
    private var acknowledged: [String: (kind: String, check: Check)] = [:]
    private var generator: SeededGenerator
    private var counter = 0

    init(_ number: Int) {
        self.number = number
        generator = TestSeed.generator(UInt64(700 + number))
    }

    /// A name that nothing else has.
    func fresh(_ prefix: String) -> String {
        counter += 1
        return "\(prefix)\(number)x\(counter)"
    }

    func chance() -> Bool { Bool.random(using: &generator) }

    /// One write.
    ///
    /// - Parameters:
    ///   - kind: the row of the table.
    ///   - key: what it is about.
    ///   - resolve: finds out, after a kill, whether it was done.
    ///   - body: sends it, and returns how to look for it later.
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

    /// Writes until the server is gone.
    func run(
        _ kinds: [@Sendable (KillClient, AttackedServer) async throws -> Void],
        at server: AttackedServer
    ) async {
        var order = kinds.shuffled(using: &generator)
        while true {
            if order.isEmpty { order = kinds.shuffled(using: &generator) }
            do { try await order.removeLast()(self, server) } catch {
                // A refusal is the server's; anything else is what a kill looks like, once it is
                // dead.
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

    /// After a restart: looks at the write that was under way, and at everything acknowledged since
    /// the last restart.
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

/// A value that checks made at one time and writes made later have in common.
final class KillState<Value: Sendable>: Sendable {
    private let state: Mutex<Value>
    init(_ value: Value) { state = Mutex(value) }
    var value: Value {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
