import ArgumentParser
import Foundation
import MienCore
import MienModels
import MienTools

/// `mien models install PATH_OR_URL`
struct InstallPack: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Add a model pack from a folder, an archive, or an address.",
        discussion: """
            A pack is a folder with a manifest.json (docs/spec/model-pack.md), or a .tar, .tar.gz, or \
            .tgz archive of one. Every file is checked against the manifest before anything is \
            installed. A downloaded archive is only as trustworthy as its source: compare its sha256 \
            with the publisher's (--sha256). Plain http requires --sha256.

            EXAMPLE
              mien models install ./my-pack
              mien models install https://models.example.org/my-pack.tar.gz --sha256 9f2c…
            """)

    @Argument(
        help: ArgumentHelp(
            "A folder, an archive, or the http(s) address of an archive.", valueName: "path-or-url")
    )
    var source: String
    @Option(help: ArgumentHelp("Refuse an archive with another sha256.", valueName: "hex"))
    var sha256: String?
    @Flag(help: "Replace another pack with the same name.") var replace = false
    @OptionGroup var authorities: AuthorityOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        // The name under which Foundation looks for the authorities of downloads.
        if let path = try authorities.path() {
            unsafe setenv("URLSessionCertificateAuthorityInfoFile", path, 1)
        }
        let library = PackLibrary(folder: MienHome.current.packs)
        let progress = ProgressBar("Downloading, in kilobytes", total: nil)
        let pack = try await PackSource(source, expecting: sha256).withFolder { bytes, total in
            progress.update(bytes / 1000, of: total.map { $0 / 1000 })
        } _: { folder in
            progress.finish()
            return try library.install(from: folder, replacing: replace)
        }
        if output.json {
            JSON.print(["id": pack.id.text, "folder": pack.folder.path])
        } else {
            Terminal.say(
                "Installed \(pack.id.text): \(pack.manifest.title) (\(pack.manifest.license)). Use it with --pack \(pack.id.text)."
            )
        }
    }
}
