import Foundation
import MienModels
import MienServer
import MienTools

/// Reads the server's configuration as `mien serve` does.
enum ServerSettings {
    /// - Parameter config: the file named with `--config`.
    /// - Throws: ``Failure`` `config`
    static func load(_ config: String?) throws -> ServerConfiguration {
        do {
            return try ServerConfiguration(
                file: try file(config), environment: ProcessInfo.processInfo.environment,
                home: MienHome.current.folder)
        } catch let error as ConfigurationError {
            throw Failure(.badInput, "config", error.description)
        }
    }

    private static func file(_ config: String?) throws -> (path: String, contents: String)? {
        guard let config else { return nil }
        guard let data = FileManager.default.contents(atPath: config), data.count <= 1_000_000,
            let text = String(data: data, encoding: .utf8)
        else {
            throw Failure(
                .badInput, "config",
                "\(config) cannot be read: the configuration must be a UTF-8 file of at most 1 MB")
        }
        return (config, text)
    }
}
