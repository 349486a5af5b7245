import Foundation
import MienTesting
import Testing

/// A network between three servers and their database, which has a namespace of its own, so that each
/// way can be cut.
///
/// A way is a pair of virtual devices. A program at the servers' end passes on what arrives at a port
/// of this machine, because servers ask other machines for TLS.
final class ManyNetwork: Sendable {
    /// The way to a namespace needs the rights of root, which containers may lack even as root.
    static let isPossible = Task {
        guard geteuid() == 0 else { return false }
        let name = "mien-probe-\(getpid())"
        guard (try? await ip("netns", "add", name)) != nil else { return false }
        let works =
            (try? await ip(
                "link", "add", "mnp\(getpid())", "type", "veth", "peer", "name", "mnq\(getpid())"))
            != nil
        if works { try? await ip("link", "del", "mnp\(getpid())") }
        try? await ip("netns", "del", name)
        return works
    }

    let namespace: String
    /// The ports at which the servers reach the database, one for each.
    let ports: [Int]
    /// The devices at the servers' end, and those in the namespace.
    private let near: [String], far: [String]
    private let relay: Process

    init(ways: Int, in scratch: ScratchFolder) async throws {
        let id = UInt32.random(in: 0..<0x10_0000), namespace = "mien-\(id)"
        // 198.18.0.0/15 is for tests of networks (RFC 2544).
        let net = 18 + id % 2, part = id / 2 % 256
        try await Self.ip("netns", "add", namespace)
        try await Self.ip("-n", namespace, "link", "set", "lo", "up")
        var nears: [String] = [], fars: [String] = [], pairs: [String] = [], ports: [Int] = []
        for way in 0..<ways {
            let (near, far) = ("mn\(id)a\(way)", "mn\(id)b\(way)"), host = way * 4
            let (nearAddress, farAddress) = (
                "198.\(net).\(part).\(host + 1)", "198.\(net).\(part).\(host + 2)"
            )
            try await Self.ip("link", "add", near, "type", "veth", "peer", "name", far)
            try await Self.ip("link", "set", far, "netns", namespace)
            try await Self.ip("addr", "add", "\(nearAddress)/30", "dev", near)
            try await Self.ip("link", "set", near, "up")
            try await Self.ip("-n", namespace, "addr", "add", "\(farAddress)/30", "dev", far)
            try await Self.ip("-n", namespace, "link", "set", far, "up")
            nears.append(near)
            fars.append(far)
            let port = try #require(LoopbackPort.free())
            ports.append(port)
            pairs += ["\(port)", farAddress]
        }
        let script = try scratch.write(Array(Self.script.utf8), to: "relay.py")
        relay = Process()
        relay.executableURL = URL(filePath: "/usr/bin/env")
        relay.arguments = ["python3", script.path] + pairs
        let ready = Pipe()
        (relay.standardOutput, relay.standardInput) = (ready, FileHandle.nullDevice)
        try relay.run()
        _ = try await ready.fileHandleForReading.firstLine()
        (self.namespace, self.ports, near, far) = (namespace, ports, nears, fars)
    }

    /// Loses everything on a way, in both directions, until it is mended. The servers' end stays up:
    /// without it, packets would take the machine's default route.
    func cut(_ way: Int) async throws {
        try await Self.ip("-n", namespace, "link", "set", far[way], "down")
    }
    func mend(_ way: Int) async throws {
        try await Self.ip("-n", namespace, "link", "set", far[way], "up")
    }

    func stop() async {
        relay.terminate()
        for device in near { try? await Self.ip("link", "del", device) }
        try? await Self.ip("netns", "del", namespace)
    }

    private static func ip(_ arguments: String...) async throws {
        try await ProgramRun.output(
            of: "ip", arguments, environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
    }

    /// relay.py (PORT ADDRESS)…: connects each port of this machine with PostgreSQL at an address. Ends
    /// when its parent does.
    private static let script = """
        import asyncio, ctypes, signal, sys
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
        async def copy(source, target):
            try:
                while data := await source.read(65536):
                    target.write(data)
                    await target.drain()
            except OSError:
                pass
            finally:
                target.close()
        def serve(address):
            async def accept(reader, writer):
                try:
                    far_reader, far_writer = await asyncio.open_connection(address, 5432)
                except OSError:
                    writer.close()
                    return
                await asyncio.gather(copy(reader, far_writer), copy(far_reader, writer))
            return accept
        async def main():
            pairs = sys.argv[1:]
            for port, address in zip(pairs[::2], pairs[1::2]):
                await asyncio.start_server(serve(address), "127.0.0.1", int(port))
            print("ready", flush=True)
            await asyncio.Event().wait()
        asyncio.run(main())

        """
}
