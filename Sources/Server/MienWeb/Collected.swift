internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Synchronization

/// Collects the body of a response that stays in the process.
final class Collected: ResponseBodyWriter, Sendable {
    let bytes = Mutex<[UInt8]>([])

    func write(_ buffer: ByteBuffer) async throws {
        bytes.withLock { $0.append(contentsOf: buffer.readableBytesView) }
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
