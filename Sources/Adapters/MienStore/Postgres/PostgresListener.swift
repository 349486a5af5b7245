internal import Foundation
internal import MienCore

/// Receives the notifications of all servers on a connection of its own.
final class PostgresListener: Sendable {
    /// All of Mien's notifications have one channel of PostgreSQL, which belongs to the database.
    static let channel = "mien"
    /// How often the thread looks whether it should end.
    private static let patienceMilliseconds: Int32 = 500

    private let isStopped = Locked(false)

    init(_ settings: PostgresSettings, _ hub: NotificationHub) {
        WorkerThread.required(name: "mien.pg.listen") { [isStopped] in
            var pause = Duration.milliseconds(50)
            while !isStopped.withLock({ $0 }) {
                do throws(PostgresFailure) {
                    let connection = try PostgresConnection(settings)
                    try connection.command("LISTEN \(Self.channel)")
                    hub.setListening(true)
                    pause = .milliseconds(50)
                    while !isStopped.withLock({ $0 }) {
                        for notification in try connection.notifications() {
                            Self.pass(notification.payload, to: hub)
                        }
                        var socket = pollfd(
                            fd: connection.socket, events: Int16(POLLIN), revents: 0)
                        _ = unsafe poll(&socket, 1, Self.patienceMilliseconds)
                    }
                } catch {
                    hub.setListening(false)
                    Thread.sleep(pause)
                    pause = min(pause * 2, .seconds(2))
                }
            }
        }.detach()
    }

    func stop() { isStopped.withLock { $0 = true } }

    private static func pass(_ text: String, to hub: NotificationHub) {
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard let channel = parts.first.flatMap({ StoreChannel(String($0)) }) else { return }
        hub.send(parts.count > 1 ? String(parts[1]) : "", to: channel)
    }
}
