import ArgumentParser
import MienAPI
import MienClient
import MienCore
import MienTools

/// Lists, publishes, and retires journeys of a server.
enum JourneyVersions {
    /// `face-login, version 2, is published`
    static func words(_ answer: JourneyVersionAnswer) -> String {
        "\(answer.id), version \(answer.version), is \(answer.state == .known(.draft) ? "a draft" : answer.state.rawValue)"
            .printable
    }

    /// `mien journey list`
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the journeys of a server.",
            discussion: """
                EXAMPLE
                  mien journey list
                """)

        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let journeys = try await server.admin().journeys()
            guard !output.json else { return JSON.print(["journeys": journeys]) }
            if journeys.isEmpty {
                print("There are no journeys. Save one: mien journey import FILE")
            }
            let rows = journeys.map {
                [
                    $0.id, "\($0.version)", $0.state.rawValue, AdminOutput.time($0.updatedAt),
                    $0.title,
                ]
            }
            if !rows.isEmpty {
                print(
                    Terminal.table(
                        rows, heading: ["id", "version", "state", "changed", "title"],
                        rightAligned: [1]))
            }
        }
    }

    /// `mien journey publish ID VERSION`
    struct Publish: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "publish",
            abstract: "Publish a draft, or an older version again.",
            discussion: """
                Apps start the published version. The version that was published before is retired;
                its runs in progress continue.

                EXAMPLE
                  mien journey publish face-login 2
                  mien journey publish face-login 1     # rolls back
                """)

        @OptionGroup var target: JourneyVersionOptions

        func run() async throws {
            try await target.act { try await $0.publishJourney($1, version: $2) }
        }
    }

    /// `mien journey retire ID VERSION`
    struct Retire: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retire",
            abstract: "Retire the published version, so that apps can no longer start the journey.",
            discussion: """
                To replace a version, publish another one instead.

                EXAMPLE
                  mien journey retire face-login 1 --force
                """)

        @OptionGroup var target: JourneyVersionOptions
        @Flag(help: "Confirm that no version remains published.") var force = false

        func run() async throws {
            try await target.act { try await $0.retireJourney($1, version: $2, force: force) }
        }
    }
}

/// A version of a journey on a server.
struct JourneyVersionOptions: ParsableArguments {
    @Argument(help: "The journey's ID.", transform: Word.journey) var id: JourneyID
    @Argument(help: "The version.") var version: Int
    @OptionGroup var server: ServerOptions
    @OptionGroup var output: OutputOptions

    func act(_ action: (MienAdmin, JourneyID, Int) async throws -> JourneyVersionAnswer)
        async throws
    {
        let answer = try await action(server.admin(), id, version)
        if output.json { JSON.print(answer) } else { print("\(JourneyVersions.words(answer)).") }
    }
}
