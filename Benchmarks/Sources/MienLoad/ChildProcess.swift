internal import Foundation

/// A program that is run to its end.
///
/// Foundation's `Process` can wait forever for one of several programs that end at the same time.
enum ChildProcess {
    /// Runs a program that is searched for in `PATH`, without input.
    ///
    /// - Parameter program: its name and its arguments.
    /// - Returns: its exit code, or 128 and the signal that ended it, and what it printed.
    /// - Throws: ``LoadError`` if it is not installed or cannot be started.
    static func run(_ program: [String]) async throws -> (status: Int32, output: String) {
        let log = FileManager.default.temporaryDirectory.appending(
            path: "mien-child-\(UUID().uuidString).log")
        defer { try? FileManager.default.removeItem(at: log) }
        let child = try start(program, output: log.path)
        let status = await withCheckedContinuation { continuation in
            // A thread of its own, because waiting must not occupy one of Swift's few.
            Thread.detachNewThread {
                var status: Int32 = 0
                while unsafe waitpid(child, &status, 0) == -1, errno == EINTR {}
                continuation.resume(returning: status)
            }
        }
        let signal = status & 0x7f
        let output = (try? Data(contentsOf: log)) ?? Data()
        return (
            signal == 0 ? (status >> 8) & 0xff : 128 + signal,
            String(decoding: output, as: UTF8.self)
        )
    }

    private static func start(_ program: [String], output: String) throws(LoadError) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(
            &actions, 1, output, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)
        let variables = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
        let words = unsafe program.map { unsafe strdup($0) } + [nil]
        let environment = unsafe variables.map { unsafe strdup($0) } + [nil]
        defer {
            for index in program.indices { unsafe free(words[index]) }
            for index in variables.indices { unsafe free(environment[index]) }
        }
        var child: pid_t = 0
        let failure = unsafe posix_spawnp(
            &child, program[0], &actions, nil, words, environment)
        if failure == ENOENT {
            throw LoadError("\(program[0]) is not installed; run scripts/setup --bench")
        }
        guard failure == 0 else {
            throw LoadError(
                "\(program[0]) did not start: \(unsafe String(cString: strerror(failure)))")
        }
        return child
    }
}
