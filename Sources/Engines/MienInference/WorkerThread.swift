internal import Foundation

/// A thread with a name that can be waited for until nothing is left of it. Dispatch's and
/// Foundation's threads cannot: they say at best that their work is done, while what C++ libraries
/// keep per thread is still to be taken down.
@safe struct WorkerThread: Sendable {
    private let id: pthread_t

    private final class Start: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts `body` at once.
    ///
    /// - Parameter name: for debuggers and `top`, which show its first 15 bytes.
    init(name: String, _ body: @escaping @Sendable () -> Void) {
        let start = Start {
            Thread.current.name = name
            body()
        }
        var id = pthread_t()
        let status = unsafe pthread_create(
            &id, nil,
            { start in
                // Taken over: what the body holds is let go on this thread, before it ends.
                unsafe Unmanaged<Start>.fromOpaque(start!).takeRetainedValue().body()
                return nil
            }, Unmanaged.passRetained(start).toOpaque())
        guard status == 0 else {
            fatalError("no thread can be started: \(unsafe String(cString: strerror(status)))")
        }
        self.id = id
    }

    /// Waits for the thread's end. Call it once. A thread cannot wait for itself: called on it,
    /// this lets it end unobserved.
    func join() {
        if pthread_equal(id, pthread_self()) != 0 {
            pthread_detach(id)
        } else {
            pthread_join(id, nil)
        }
    }
}
