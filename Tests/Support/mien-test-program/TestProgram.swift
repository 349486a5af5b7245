import Foundation

/// Programs that tests run as processes of their own: `mien-test-program NAME ARGUMENT…`.
@main
enum TestProgram {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        switch words.first {
        case "store-writer" where words.count == 2: try await writeUntilKilled(words[1])
        case "text-cost": printCosts(Array(words.dropFirst()))
        case "desktop-frames" where words.count == 4:
            try await DesktopFrames.run(Array(words.dropFirst()))
        default: exit(2)
        }
    }
}
