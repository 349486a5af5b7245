import ArgumentParser
import Foundation
import MienLoad
import MienStore
import MienTools

/// `mien-bench portal`
struct PortalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "portal",
        abstract: "Measure the lists of the admin portal on a server with many users.",
        discussion: """
            Makes a data folder with invented users, cases, apps, organizations, sign-ins, and entries of the \
            audit log, starts a server on it, and reads the first, a middle, and the last page of each list over \
            HTTP, one request at a time, and finds users by name.

            EXAMPLE
              mien-bench portal
              mien-bench portal --users 10000 --requests 50
            """)

    @Option(help: ArgumentHelp("Users, and entries of the audit log.", valueName: "count"))
    var users = 1_000_000
    @Option(help: ArgumentHelp("Requests of each kind.", valueName: "count")) var requests = 20
    @OptionGroup var mien: MienProgramOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1000...10_000_000).contains(users) else {
            throw ValidationError("--users must be 1,000 to 10,000,000, not \(users)")
        }
        guard (3...1000).contains(requests) else {
            throw ValidationError("--requests must be 3 to 1,000, not \(requests)")
        }
    }

    func run() async throws {
        let program = try mien.program()
        let bar = ProgressBar("Filling the store", total: users)
        let result: PortalBench.Result
        do {
            let store = try await PortalStore(users: users) { bar.update($0) }
            defer { store.remove() }
            bar.finish()
            result = try await PortalBench(store: store, requests: requests, program: program)
                .run()
        } catch let error as LoadError {
            throw Failure(.notSetUp, "bench.portal", error.description)
        } catch let error as StoreError {
            throw Failure(.notSetUp, "bench.portal", "the store could not be filled: \(error)")
        }
        if output.json { JSON.print(result) } else { print(Self.text(result)) }
    }

    private static func text(_ result: PortalBench.Result) -> String {
        Terminal.table(
            result.pages.map { page in
                [
                    page.list, page.items.grouped, page.page,
                    [page.latency.p50, page.latency.p95, page.latency.maximum].map {
                        String.decimal($0)
                    }.joined(separator: " / ") + " ms",
                    "p95 ≤ 100 ms",
                ]
            }, heading: ["list", "items", "page", "p50 / p95 / max", "budget"])
    }
}
