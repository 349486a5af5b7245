import ArgumentParser
import MienCore
import MienDevice
import MienDeviceLinux
import MienFace
import MienModels
import MienTools

/// `mien desktop`
struct DesktopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "desktop", abstract: "Sign in on a Linux desktop with a face.",
        discussion: """
            The PAM module pam_mien asks a local service. docs/linux-desktop.md describes the setup.

            EXAMPLE
              mien face enroll ada --camera --presentation require
              mien desktop serve
            """,
        subcommands: [DesktopServeCommand.self])
}

/// `mien desktop serve`
struct DesktopServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Judge faces for the PAM module pam_mien.",
        discussion: """
            systemd runs this command when the module connects. It looks into the camera only when asked, \
            and accepts a face only if the person performs random actions and the model pack's networks \
            against prints and screens find none. Without those networks, every answer is no-networks. \
            Virtual cameras are refused.

            EXAMPLE
              mien desktop serve --socket /run/mien-desktop/socket
            """)

    @Option(
        help: ArgumentHelp("Listen here, unless systemd passes a socket.", valueName: "path"))
    var socket = "/run/mien-desktop/socket"
    @Option(
        help: ArgumentHelp(
            "A camera's name, or its device (default: the first “front” one).", valueName: "name"))
    var camera: String?
    @Option(
        help: ArgumentHelp(
            "End after this many seconds without a request, if systemd passed the socket, 10 to 86400.",
            valueName: "s"))
    var idle = 600
    @Option(help: OmittedActions.help) var omit: OmittedActions?
    @OptionGroup var engine: EngineOptions

    func validate() throws {
        guard socket.hasPrefix("/"), socket.utf8.count < 108 else {
            throw ValidationError("--socket must be an absolute path of at most 107 bytes")
        }
        guard (10...86400).contains(idle) else {
            throw ValidationError("--idle must be 10 to 86400, not \(idle)")
        }
    }

    func run() async throws {
        let pack = try? engine.loadPack()
        let networks = try pack.flatMap { try loadNetworks(of: $0) }
        if networks == nil {
            Terminal.warn(
                "mien: \(pack.map { "the model pack \($0.id.text) has no networks" } ?? "there is no model pack with networks") against prints and screens, so no face will be accepted; \(PackLibrary.presentationAdvice)"
            )
        }
        let service = try await DesktopService<FaceEngine>(
            faces: try DeviceFaces.service(
                pack?.id ?? PackID("none"),
                formerPacks: try pack.map {
                    networks == nil ? [] : try DeviceFaces.formerPacks(beside: $0.id, engine)
                } ?? []),
            networks: networks, frames: .camera(camera),
            omittedActions: omit?.actions ?? []
        ) { SpokenGuide.words(for: $0) }
        let server: DesktopServer<FaceEngine>
        do throws(DesktopSocketError) {
            server = try DesktopServer(at: socket, idle: .seconds(idle), service: service) {
                Terminal.warn($0)
            }
        } catch { throw Failure(.notSetUp, "desktop.socket", error.reason) }
        Terminal.warn("Ready")
        try await WatchCommand.untilInterrupted { await server.run() }
    }

    /// - Returns: `nil` if the pack cannot tell a face from a print or a screen.
    private func loadNetworks(of pack: ModelPack) throws -> DesktopService<FaceEngine>.Networks? {
        guard pack.manifest.file(of: .presentationAttack) != nil else { return nil }
        return .init(
            reader: try engine.loadEngine(pack, looksForAttacks: true, compilingAll: true),
            matcher: try pack.matcher())
    }
}
