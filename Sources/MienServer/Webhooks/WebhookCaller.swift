internal import AsyncHTTPClient
internal import Crypto
internal import Foundation
internal import MienCore
internal import MienJourney
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// Makes the calls of `call_webhook` steps: to listed hosts only, signed, without redirects, and not into private networks.
///
/// The address is looked up here, looked at, and then used: a name that means another address a moment later gains nothing.
/// Signature: `mien-signature: t=<seconds>,v1=<hex of HMAC-SHA256(secret, "<seconds>.<body>")>`; `mien-delivery` is the same when a call is repeated.
struct WebhookCaller: Sendable {
    static let mostAnswer = 64 * 1024

    let hosts: [String]
    let mayBePrivate: Bool
    let secret: Sensitive<String>
    let clock: ServerClock

    func call(_ call: WebhookCall, run: InstanceID, app: AppID) async -> EffectResult.Answer {
        guard let url = URL(string: call.url), let scheme = url.scheme, scheme == "https" || (scheme == "http" && mayBePrivate),
            let host = url.host()?.lowercased(), hosts.contains(host), url.user() == nil
        else { return .refused(.notAllowed) }
        do {
            let address = try await resolve(host, port: url.port ?? (scheme == "https" ? 443 : 80))
            guard mayBePrivate || Self.isPublic(address) else { return .refused(.notAllowed) }
            return try await request(call, host: host, address: address, run: run, app: app)
        } catch {
            return .refused(.webhookFailed)
        }
    }

    private func request(_ call: WebhookCall, host: String, address: String, run: InstanceID, app: AppID) async throws -> EffectResult.Answer {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.dnsOverride = [host: address]
        configuration.timeout = .init(connect: .seconds(5), read: .seconds(Int64(call.timeoutSeconds)))
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        defer { Task { try? await client.shutdown() } }
        let body = call.body.use { JSONText.write(.object($0)) }
        let seconds = clock.now.seconds
        var request = HTTPClientRequest(url: call.url)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.headers.add(name: "mien-app", value: app.text)
        request.headers.add(name: "mien-delivery", value: run.text)
        request.headers.add(name: "mien-signature", value: "t=\(seconds),v1=\(signature(seconds, body))")
        request.body = .bytes(ByteBuffer(string: body))
        let response = try await client.execute(request, timeout: .seconds(Int64(call.timeoutSeconds)))
        let answer = try await response.body.collect(upTo: Self.mostAnswer)
        let bytes = Array(answer.readableBytesView)
        let value = bytes.isEmpty ? .null : (try? JSONText.parse(bytes, limits: .init(maxBytes: Self.mostAnswer, maxDepth: 16))) ?? .null
        return .webhookAnswered(status: Int(response.status.code), body: value)
    }

    func signature(_ seconds: Int64, _ body: String) -> String {
        let code = secret.use { HMAC<SHA256>.authenticationCode(for: Data("\(seconds).\(body)".utf8), using: SymmetricKey(data: Data($0.utf8))) }
        return code.map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
    }

    private func resolve(_ host: String, port: Int) async throws -> String {
        let bare = host.trimmingCharacters(in: ["[", "]"])
        return try await NIOThreadPool.singleton.runIfActive {
            guard let address = try SocketAddress.makeAddressResolvingHost(bare, port: port).ipAddress else { throw CocoaError(.featureUnsupported) }
            return address
        }
    }

    /// Neither this machine, nor a private, link-local, shared, multicast or reserved network: RFC 6890.
    static func isPublic(_ address: String) -> Bool {
        if address.contains(":") {
            var bytes = in6_addr()
            guard unsafe inet_pton(AF_INET6, address, &bytes) == 1 else { return false }
            let octets = unsafe withUnsafeBytes(of: &bytes) { unsafe Array($0) }
            // Only global unicast, and of that no addresses that hold IPv4 ones or are for documentation.
            guard octets[0] & 0xe0 == 0x20 else { return false }
            if octets[0] == 0x20, octets[1] == 0x02 { return isPublic(v4: Array(octets[2..<6])) }
            if octets[0] == 0x20, octets[1] == 0x01, octets[2] < 2 { return false }
            return !(octets[0] == 0x20 && octets[1] == 0x01 && octets[2] == 0x0d && octets[3] == 0xb8)
        }
        let parts = address.split(separator: ".", omittingEmptySubsequences: false).compactMap { UInt8($0) }
        return parts.count == 4 && isPublic(v4: parts)
    }

    private static func isPublic(v4 octets: [UInt8]) -> Bool {
        switch (octets[0], octets[1]) {
        case (0, _), (10, _), (127, _), (169, 254), (172, 16...31), (192, 168), (100, 64...127), (198, 18...19), (224..., _): false
        case (192, 0): octets[2] != 0 && octets[2] != 2
        case (198, 51): octets[2] != 100
        case (203, 0): octets[2] != 113
        default: true
        }
    }
}
