package import HTTPTypes
internal import HummingbirdCore
package import NIOCore
internal import Synchronization

/// Collects the body of a response that stays in the process.
package final class Collected: ResponseBodyWriter, Sendable {
    private let collected = Mutex<[UInt8]>([])

    package init() {}

    package var bytes: [UInt8] { collected.withLock { $0 } }

    package func write(_ buffer: ByteBuffer) async throws {
        collected.withLock { $0.append(contentsOf: buffer.readableBytesView) }
    }

    package func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
