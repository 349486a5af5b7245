import FakePhone
import Foundation

/// A test, and the capabilities of docs/kits.md that it shows.
struct AppleTest {
    let name: String
    let shows: [String]
    let body: @MainActor () async throws -> Void

    init(_ name: String, shows: [String] = [], _ body: @escaping @MainActor () async throws -> Void)
    {
        (self.name, self.shows, self.body) = (name, shows, body)
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String
}

/// Why a test cannot run here.
struct Skipped: Error { let reason: String }

@MainActor private var faults: [String] = []

/// A line that appears at once.
private func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

@MainActor func expect(
    _ isTrue: Bool, _ what: String = "", file: String = #fileID,
    line: Int = #line
) {
    if !isTrue { faults.append("\(file):\(line): \(what)") }
}

func require<Value>(
    _ value: Value?, _ what: String = "nothing is there", file: String = #fileID, line: Int = #line
) throws -> Value {
    guard let value else { throw Failure(description: "\(file):\(line): \(what)") }
    return value
}

/// The error that `body` throws.
@MainActor func error(of body: () async throws -> Void) async -> (any Error)? {
    do {
        try await body()
        return nil
    } catch { return error }
}

/// Waits until something is the case, at most `seconds`.
@MainActor func wait(
    _ what: @autoclosure @MainActor () -> String, seconds: Double = 20, file: String = #fileID,
    line: Int = #line,
    until isThere: () -> Bool
) async throws {
    let end = ContinuousClock.now + .seconds(seconds)
    while !isThere() {
        guard ContinuousClock.now < end else {
            throw Failure(description: "\(file):\(line): waited \(seconds) s for \(what())")
        }
        try await Task.sleep(for: .milliseconds(20))
    }
}

@main struct AppleTests {
    @MainActor static func main() async {
        let words = CommandLine.arguments.dropFirst()
        let all =
            deviceKeyTests + storageTests + browserTests + decisionTests + faceTests
            + documentTests + guideTests + sampleTests + networkTests + faceServiceTests
            + conformanceTests
        var passed = 0, failed = 0, skipped = 0, shown: Set<String> = []
        for test in all
        where words.isEmpty
            || words.contains(where: { test.name.localizedCaseInsensitiveContains($0) })
        {
            Presented.root?.dismiss(animated: false)
            FakePhone.shared.reset()
            faults = []
            let began = ContinuousClock.now
            do { try await test.body() } catch let skip as Skipped {
                say("– \(test.name): \(skip.reason)")
                skipped += 1
                continue
            } catch { faults.append("\(error)") }
            let time = (ContinuousClock.now - began).components.seconds
            if faults.isEmpty {
                say("✔ \(test.name)\(time > 2 ? " (\(time) s)" : "")")
                passed += 1
                shown.formUnion(test.shows)
            } else {
                say("✘ \(test.name)\n" + faults.map { "    \($0)" }.joined(separator: "\n"))
                failed += 1
            }
        }
        await Servers.stop()
        if let path = ProcessInfo.processInfo.environment["MIEN_SHOWN"] {
            try? shown.sorted().joined(separator: "\n").write(
                toFile: path, atomically: true, encoding: .utf8)
        }
        say("\(passed) passed, \(failed) failed" + (skipped > 0 ? ", \(skipped) skipped" : ""))
        exit(failed == 0 ? 0 : 1)
    }
}
