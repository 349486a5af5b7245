import Foundation
import PackagePlugin

/// Embeds text files of the repository into a target. `Embedded.txt` in the target's folder lists
/// them, and `embed-files` writes them as string literals into `EmbeddedFiles`. Each file then has
/// one copy in the repository.
///
/// `.embedInCode` would make an array of bytes, which takes minutes to compile for the API
/// description.
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
