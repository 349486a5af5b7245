import Foundation
import PackagePlugin

/// Embeds text files of the repository into a target. Each `Embedded.txt` in a folder of the target lists
/// some, and `embed-files` writes them as string literals into an enum, named after the folder: those
/// of `Portal` into `PortalFiles`. Each file then has one copy in the repository.
///
/// `.embedInCode` would make an array of bytes, which takes minutes to compile for the API
/// description.
@main
struct EmbedFiles: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
        guard let target = target.sourceModule else { return [] }
        let folders = FileManager.default.enumerator(
            at: target.directoryURL, includingPropertiesForKeys: nil)
        let lists = (folders?.allObjects as? [URL] ?? []).filter {
            $0.lastPathComponent == "Embedded.txt"
        }
        return try lists.sorted { $0.path < $1.path }.map { try command(for: $0, context, target) }
    }

    private func command(
        for list: URL, _ context: PluginContext, _ target: any SourceModuleTarget
    ) throws -> Command {
        let name = list.deletingLastPathComponent().lastPathComponent + "Files"
        let output = context.pluginWorkDirectoryURL.appending(path: "\(name).swift")
        let files = try String(contentsOf: list, encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: " ").last }
            .map { context.package.directoryURL.appending(path: String($0)) }
        return .buildCommand(
            displayName: "Embedding \(name) into \(target.name)",
            executable: try context.tool(named: "embed-files").url,
            arguments: [list.path, context.package.directoryURL.path, output.path, name],
            inputFiles: [list] + files, outputFiles: [output])
    }
}
