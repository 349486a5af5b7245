internal import Foundation

/// A detached thread. Its last action notifies its owner.
enum MediaThread {
    /// The name for debuggers and `top`.
    static let name = "mien.media"

    private final class Start: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// - Returns: Whether the thread was started.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let start = unsafe Unmanaged.passRetained(
            Start {
                Thread.current.name = name
                body()
            })
        var thread = pthread_t()
        let status = unsafe pthread_create(
            &thread, nil,
            { start in
                unsafe Unmanaged<Start>.fromOpaque(start!).takeRetainedValue().body()
                return nil
            }, start.toOpaque())
        guard status == 0 else {
            unsafe start.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}
