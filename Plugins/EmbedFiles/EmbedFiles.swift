import Foundation
import PackagePlugin

/// Gives a target the texts of files elsewhere in the repository: `Embedded.txt` in the target's
/// folder names them, and `embed-files` writes them into `EmbeddedFiles`.
///
/// A file is so kept in one place, and the program carries it. `.embedInCode` makes an array of
/// bytes, which takes the compiler minutes for the API description; a string literal takes none.
@main
struct EmbedFiles: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
        guard let target = target.sourceModule else { return [] }
        let list = target.directoryURL.appending(path: "Embedded.txt")
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedFiles.swift")
        let files = try String(contentsOf: list, encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: " ").last }
            .map { context.package.directoryURL.appending(path: String($0)) }
        return [
            .buildCommand(
                displayName: "Embedding files into \(target.name)",
                executable: try context.tool(named: "embed-files").url,
                arguments: [list.path, context.package.directoryURL.path, output.path],
                inputFiles: [list] + files, outputFiles: [output])
        ]
    }
}
