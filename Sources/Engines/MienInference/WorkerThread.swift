internal import Foundation

/// A named thread whose end can be awaited completely. Dispatch's and Foundation's threads report
/// at best that their work is done, while the per-thread state of C++ libraries still has to be
/// torn down.
@safe struct WorkerThread: Sendable {
    private let id: pthread_t

    private final class Start: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts `body` at once.
    ///
    /// - Parameter name: The name for debuggers and `top`, which show its first 15 bytes.
    init(name: String, _ body: @escaping @Sendable () -> Void) {
        let start = Start {
            Thread.current.name = name
            body()
        }
        var id = pthread_t()
        let status = unsafe pthread_create(
            &id, nil,
            { start in
                // Take ownership, so that everything the body holds is released on this thread
                // before it ends.
                unsafe Unmanaged<Start>.fromOpaque(start!).takeRetainedValue().body()
                return nil
            }, Unmanaged.passRetained(start).toOpaque())
        guard status == 0 else {
            fatalError("cannot start a thread: \(unsafe String(cString: strerror(status)))")
        }
        self.id = id
    }

    /// Waits for the thread to end. Call it once. A thread cannot wait for itself; called on the
    /// thread itself, this detaches it.
    func join() {
        if pthread_equal(id, pthread_self()) != 0 {
            pthread_detach(id)
        } else {
            pthread_join(id, nil)
        }
    }
}
