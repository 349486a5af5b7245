import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import MienAPI
import MienCore
import MienFace
import MienStore
import MienTesting
import NIOCore
import NIOSSL
import ServiceLifecycle
import Testing

@testable import MienServer

@Suite("Requests passed on to another server", .timeLimit(.minutes(10)))
struct ClusterTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Certificates of the servers' authority, and one that another authority issued.
    private struct Certificates {
        let folder: ScratchFolder
        let authority: OpenSSLAuthority
        private let issued: [String: OpenSSLAuthority.Files]

        init() async throws {
            folder = try ScratchFolder()
            authority = try await OpenSSLAuthority("servers", in: folder)
            issued = [
                "servers": try await authority.issue(),
                "others": try await OpenSSLAuthority("others", in: folder).issue(),
            ]
        }

        func files(_ issuer: String = "servers") -> TLSFiles {
            TLSFiles(
                certificate: issued[issuer]!.certificate.path, key: issued[issuer]!.key.path,
                authorities: authority.certificate.path, section: "cluster")
        }
    }

    /// Runs a server that answers with what it got, and searches with `worker`, and calls `body` with
    /// its port.
    private static func answering(
        _ certificates: Certificates, searchingWith worker: GalleryWorker? = nil,
        _ body: (_ port: Int) async throws -> Void
    ) async throws {
        let configuration = try ServerConfiguration(
            environment: [:], home: certificates.folder.url)
        let listener = HTTPListener(
            ListenAddress(host: "127.0.0.1", port: 0), setting: "cluster.listen",
            certificate: try ServedCertificate(certificates.files()), isBehindProxy: false,
            configuration, logger: logger)
        let router = Router(context: MienRequestContext.self)
        router.post("v1/capture/frames") { request, _ in
            let received = try await request.body.collect(upTo: 1 << 20)
            let lines = [
                request.headers[.authorization] ?? "-",
                request.headers[HTTPField.Name("x-forwarded-for")!] ?? "-",
                "\(received.readableBytes)",
            ]
            return Response(
                status: .accepted, headers: [.contentType: "text/plain", .retryAfter: "7"],
                body: .init(byteBuffer: ByteBuffer(string: lines.joined(separator: "|"))))
        }
        if let worker {
            GalleryRoutes(worker: worker, budget: BodyBudget()).add(to: router.group("v1"))
        }
        let (listening, continuation) = AsyncStream<String>.makeStream()
        let service = ListenerService(
            listener: listener,
            application: listener.application(router) { continuation.yield($0) })
        let task = Task { try await service.run() }
        var urls = listening.makeAsyncIterator()
        let url = try #require(await urls.next())
        let port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
        let result: Result<Void, any Error>
        do { result = .success(try await body(port)) } catch { result = .failure(error) }
        task.cancel()
        _ = try? await task.value
        try result.get()
    }

    private static func cluster(
        _ servers: TwoServers, _ files: TLSFiles
    ) throws -> Cluster {
        try Cluster(
            Presence(
                name: "srv_a", at: "localhost:1", store: servers.a, clock: servers.clock,
                logger: logger), files, logger: logger)
    }

    private static func frames(_ count: Int) -> PassedRequest {
        PassedRequest(
            method: .post, path: "/v1/capture/frames",
            headers: [
                .authorization: "Bearer cap_1.secret", .contentType: "image/jpeg",
                HTTPField.Name("x-forwarded-for")!: "203.0.113.9",
            ], body: Array(repeating: 7, count: count), client: "198.51.100.4")
    }

    @Test("a request arrives with its token, its client, and its body, and the answer comes back")
    func pass() async throws {
        let certificates = try await Certificates(), servers = try await TwoServers()
        try await Self.answering(certificates) { port in
            let cluster = try Self.cluster(servers, certificates.files())
            let task = Task { try await cluster.run() }
            let now = servers.clock.now
            try await servers.b.write {
                try $0.servers.announce("srv_b", at: "localhost:\(port)", seen: now)
            }
            #expect(
                try await comesToHold {
                    try await servers.b.read {
                        try $0.servers.address(of: "srv_a", seenSince: now)
                    } == "localhost:1"
                })
            #expect(try await cluster.isAlive("srv_b"))
            #expect(try await !cluster.isAlive("srv_c"))
            let answer = try await cluster.pass(Self.frames(60_000), to: "srv_b")
            #expect(answer.status == .accepted)
            #expect(
                String(decoding: answer.body, as: UTF8.self)
                    == "Bearer cap_1.secret|198.51.100.4|60000")
            #expect(answer.headers[.contentType] == "text/plain")
            #expect(answer.headers[.retryAfter] == "7")
            var times: [Duration] = []
            for _ in 0..<200 {
                let begun = ContinuousClock.now
                _ = try await cluster.pass(Self.frames(60_000), to: "srv_b")
                times.append(ContinuousClock.now - begun)
            }
            times.sort()
            print("a hop of 60 kB: median \(times[100]), 95 % \(times[190])")
            // A server that was silent for too long is dead.
            servers.pass(Presence.patience + .milliseconds(1))
            #expect(try await !cluster.isAlive("srv_b"))
            await #expect(throws: ServerBusy.self) {
                try await cluster.pass(Self.frames(1), to: "srv_b")
            }
            task.cancel()
            _ = try? await task.value
            #expect(
                try await servers.b.read {
                    try $0.servers.address(of: "srv_a", seenSince: now)
                } == nil, "it has said that it stops")
        }
    }

    @Test("a search in another server's memory arrives, and what it found comes back")
    func gallery() async throws {
        let certificates = try await Certificates(), servers = try await TwoServers()
        let matcher = try FaceMatcher.made(dimension: 20), pack = try PackID("made-1")
        var people = SyntheticPeople(seed: 3, dimension: 20), random = SeededGenerator(seed: 3)
        let face = AuthenticatorID.random(using: &random)
        let template = try FaceTemplate(
            entries: [
                .init(
                    descriptor: FaceDescriptor(people.direction().map { Float($0) }), quality: 90,
                    pose: .frontal)
            ], packID: pack, createdAt: .start)
        let account = AccountRecord.new(
            .random(using: &random), AccountProfile(), keys: servers.a.keys, at: .start)
        try await servers.a.write { tables in
            try tables.accounts.insert(account, names: [])
            try tables.authenticators.insert(
                AuthenticatorRecord(
                    id: face, account: account.record.id, type: .face, app: .shop,
                    content: template.bytes, info: ["pack": .string(pack.text)],
                    createdAt: .start), of: account.record)
        }
        func worker(_ store: Store) -> GalleryWorker {
            GalleryWorker(
                store: store, matcher: matcher, pack: pack, memoryBytes: 1 << 20, threads: 1)
        }
        let query = GalleryQuery(
            app: .shop, pack: pack, probe: try matcher.reference(for: template), limit: 5,
            threshold: MatchScore(0))
        let far = worker(servers.b), parts = Set(GalleryPart.all)
        _ = try await far.search(query, in: parts, loading: .first)
        try await Self.answering(certificates, searchingWith: far) { port in
            let cluster = try Self.cluster(servers, certificates.files())
            let task = Task { try await cluster.run() }
            let now = servers.clock.now
            try await servers.b.write {
                try $0.servers.announce(
                    "srv_b", at: "localhost:\(port)", holdsFaces: true, seen: now)
                try $0.servers.announce("srv_c", at: "localhost:1", holdsFaces: true, seen: now)
                try $0.servers.announce("srv_d", at: "localhost:1", holdsFaces: false, seen: now)
            }
            #expect(
                try await comesToHold {
                    try await servers.b.read {
                        try $0.servers.address(of: "srv_a", seenSince: now)
                    } != nil
                })
            #expect(try await cluster.galleryServers() == ["srv_b", "srv_c"])
            let bytes = try await cluster.searchGallery(
                GalleryMessage.bytes(of: query, parts: parts), on: "srv_b", within: .seconds(5))
            let answer = try #require(GalleryMessage.answer(bytes))
            #expect(answer.candidates.map(\.face) == [face] && answer.parts == parts)
            // Its own part of the faces is in the memory of srv_b, and nobody answers for srv_c.
            let near = worker(servers.a)
            let search = GallerySearch(
                store: servers.a, worker: near, peers: cluster, logger: Self.logger)
            let found = try await search.search(query)
            #expect(found.candidates == answer.candidates && found.parts == parts)
            for body in [[], Array("MGQ1".utf8), Array(repeating: 0, count: 9000)] as [[UInt8]] {
                await #expect(throws: (any Error).self) {
                    try await cluster.searchGallery(body, on: "srv_b", within: .seconds(5))
                }
            }
            var times: [Duration] = []
            for _ in 0..<200 {
                let begun = ContinuousClock.now
                _ = try await cluster.searchGallery(
                    GalleryMessage.bytes(of: query, parts: parts), on: "srv_b",
                    within: .seconds(5))
                times.append(ContinuousClock.now - begun)
            }
            times.sort()
            print("a search of another server: median \(times[100]), 95 % \(times[190])")
            task.cancel()
            _ = try? await task.value
        }
    }

    @Test("a server whose certificate another authority issued is refused, and so is one without")
    func strangers() async throws {
        let certificates = try await Certificates(), servers = try await TwoServers()
        try await Self.answering(certificates) { port in
            let now = servers.clock.now
            try await servers.b.write {
                try $0.servers.announce("srv_b", at: "localhost:\(port)", seen: now)
            }
            let stranger = try Self.cluster(servers, certificates.files("others"))
            let task = Task { try await stranger.run() }
            #expect(
                try await comesToHold {
                    try await servers.b.read {
                        try $0.servers.address(of: "srv_a", seenSince: now)
                    } != nil
                })
            await #expect(throws: ServerBusy.self) {
                try await stranger.pass(Self.frames(1), to: "srv_b")
            }
            task.cancel()
            _ = try? await task.value
            // Without any certificate.
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(certificates.authority.certificate.path)
            let client = HTTPClient(
                eventLoopGroupProvider: .singleton,
                configuration: .init(tlsConfiguration: tls))
            var request = HTTPClientRequest(
                url: "https://localhost:\(port)/v1/capture/frames")
            request.method = .POST
            let sent = request
            await #expect(throws: (any Error).self) {
                let response = try await client.execute(sent, timeout: .seconds(5))
                _ = try await response.body.collect(upTo: 100)
            }
            try await client.shutdown()
        }
    }
}
