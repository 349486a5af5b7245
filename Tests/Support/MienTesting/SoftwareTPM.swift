import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A TPM 2.0 in software (swtpm) on its own loopback ports, with its state in a scratch folder. It
/// can be stopped and restarted.
public actor SoftwareTPM {
    /// The path of the Debian package's program; `nil` when it is not installed.
    public static let program: URL? = ["/usr/bin/swtpm", "/usr/local/bin/swtpm"].first(
        where: FileManager.default.isExecutableFile(atPath:)
    )
    .map { URL(fileURLWithPath: $0) }

    /// The reason for skipping tests that need it.
    public static let missing = "swtpm is not installed; run apt-get install swtpm"

    private static let tries = 20
    private static let patience = Duration.seconds(60)

    /// The address for `TPM(address:)`; unchanged after ``restart()``.
    public nonisolated let address: String
    private let state: ScratchFolder
    private let port: UInt16
    private var process: Process
    private var ends: AsyncStream<Void>

    private init(state: ScratchFolder, port: UInt16, process: Process, ends: AsyncStream<Void>) {
        (self.state, self.port, self.process, self.ends) = (state, port, process, ends)
        address = "swtpm:host=127.0.0.1,port=\(port)"
    }

    /// Lends a fresh TPM and stops it when `body` has returned or thrown.
    public static func run<T: Sendable>(_ body: (SoftwareTPM) async throws -> T) async throws -> T {
        let tpm = try await started()
        do {
            let result = try await body(tpm)
            await tpm.stop()
            return result
        } catch {
            await tpm.stop()
            throw error
        }
    }

    /// Stops the TPM without a shutdown, like a power failure.
    public func stop() async {
        Self.end(process)
        for await _ in ends {}
    }

    /// Kills the process. A child inherits the signal mask of Swift's threads, which blocks the
    /// polite termination signals.
    private static func end(_ process: Process) {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// Suspends the TPM until ``resume()``.
    public func pause() { kill(process.processIdentifier, SIGSTOP) }

    public func resume() { kill(process.processIdentifier, SIGCONT) }

    /// Stops the TPM and starts it with the same state and ports.
    public func restart() async throws {
        await stop()
        (process, ends) = try await Self.launched(state, port)
    }

    private static func started() async throws -> SoftwareTPM {
        let state = try ScratchFolder()
        for _ in 0..<tries {
            guard let port = LoopbackPort.freePair(),
                let (process, ends) = try? await launched(state, port)
            else { continue }
            return SoftwareTPM(state: state, port: port, process: process, ends: ends)
        }
        throw Failure(description: "found no two adjacent free ports for swtpm")
    }

    private static func launched(_ state: ScratchFolder, _ port: UInt16) async throws -> (
        Process, AsyncStream<Void>
    ) {
        let process = Process()
        process.executableURL = program
        process.arguments = [
            "socket", "--tpm2", "--tpmstate", "dir=\(state.url.path)", "--flags",
            "not-need-init,startup-clear", "--server",
            "type=tcp,port=\(port)", "--ctrl", "type=tcp,port=\(port + 1)",
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let ends = try process.started()
        let deadline = ContinuousClock.now + patience
        while process.isRunning, ContinuousClock.now < deadline {
            if LoopbackPort.accepts(port), LoopbackPort.accepts(port + 1), process.isRunning {
                return (process, ends)
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        end(process)
        for await _ in ends {}
        throw Failure(description: "swtpm did not start on ports \(port) and \(port + 1)")
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
