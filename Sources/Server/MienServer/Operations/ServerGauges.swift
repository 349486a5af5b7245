package import Foundation
internal import MienCore
package import MienStore
internal import MienVault

/// Reads what changes without an event, when the metrics are read: queues, captures in progress, the
/// database, and the process.
package struct ServerGauges: Sendable {
    let metrics: Metrics
    let store: Store
    let data: URL
    let queues: @Sendable () -> [(name: String, depth: QueueDepth)]
    let liveCaptures: @Sendable () -> Int
    let galleries: @Sendable () -> (faces: Int, bytes: Int)
    let certificateExpiry: @Sendable () -> Date?
    private let startedAt = Date().timeIntervalSince1970

    package init(
        metrics: Metrics, store: Store, dataFolder: URL,
        queues: @escaping @Sendable () -> [(name: String, depth: QueueDepth)],
        liveCaptures: @escaping @Sendable () -> Int,
        galleries: @escaping @Sendable () -> (faces: Int, bytes: Int),
        certificateExpiry: @escaping @Sendable () -> Date?
    ) {
        (self.metrics, self.store, data) = (metrics, store, dataFolder)
        (self.queues, self.liveCaptures, self.galleries) = (queues, liveCaptures, galleries)
        self.certificateExpiry = certificateExpiry
    }

    package func read() {
        for (name, depth) in queues() + [("database", database)] {
            metrics.set(.queueWaiting, to: Double(depth.waiting), ["queue": name])
            metrics.set(.queueLimit, to: Double(depth.limit), ["queue": name])
            metrics.set(.queueWorkers, to: Double(depth.workers), ["queue": name])
        }
        metrics.set(.liveCaptures, to: Double(liveCaptures()))
        let (faces, bytes) = galleries()
        metrics.set(.galleryFaces, to: Double(faces))
        metrics.set(.galleryBytes, to: Double(bytes))
        // PostgreSQL has its own exporter.
        if !store.isShared {
            for (label, name) in [("database", "mien.sqlite"), ("log", "mien.sqlite-wal")] {
                metrics.set(.databaseBytes, to: Double(size(name)), ["file": label])
            }
        }
        metrics.set(.databaseReads, to: Double(store.reads))
        metrics.set(.databaseReaders, to: Double(store.readers))
        if let expiry = certificateExpiry() {
            metrics.set(.certificateDays, to: expiry.timeIntervalSinceNow / 86_400)
        }
        metrics.set(.masterKeys, to: Double(store.keys.ring.keys.count))
        metrics.set(.backedUpAt, to: Self.lastBackup(in: data))
        metrics.set(.startedAt, to: startedAt)
        if let free = try? FileManager.default.attributesOfFileSystem(forPath: data.path)[
            .systemFreeSize] as? NSNumber
        {
            metrics.set(.freeBytes, to: free.doubleValue)
        }
        #if os(Linux)
        metrics.set(.residentBytes, to: Self.residentBytes)
        let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        metrics.set(.openFiles, to: Double(files ?? 0))
        #endif
    }

    private var database: QueueDepth {
        QueueDepth(waiting: store.waitingWrites, limit: store.maxWaitingWrites, workers: 1)
    }

    private func size(_ name: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(
            atPath: data.appending(path: name).path)
        return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }

    /// The file that `mien backup` writes when it is done; 0 before the first backup.
    private static func lastBackup(in folder: URL) -> Double {
        let text = try? String(
            contentsOf: folder.appending(path: BackupMark.file), encoding: .utf8)
        return text.flatMap { Double($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? 0
    }

    private static var residentBytes: Double {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
        return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
    }
}
